"""The book without a network: as an archive that is unpacked, and from what a browser has kept."""

import datetime
import functools
import http.server
import re
import shutil
import ssl
import threading
import zipfile
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from _ext.exports import offline_copies
from _ext.site.chromium import ARGUMENTS, program
from _ext.site.contents import pages

READ, ALSO_READ, UNREAD = (f"chapters/{name}.html" for name in ("index", "writer", "05_positions"))
KEPT = "async () => (await (await caches.open((await caches.keys())[0])).keys()).map(r => r.url)"
# Loaded, with the joined style sheet, the scripts and the font of icons.
DRESSED = """() => document.fonts.check('900 16px "Font Awesome 6 Free"')
  && getComputedStyle(document.querySelector("#pst-skip-link")).position === "fixed"
  && document.querySelectorAll("script[src]").length > 5"""


@pytest.fixture(scope="module")
def archive(site):
    with zipfile.ZipFile(site / offline_copies.ARCHIVE) as found:
        yield found


@pytest.fixture(scope="module")
def unpacked(archive, tmp_path_factory):
    folder = tmp_path_factory.mktemp("unpacked")
    archive.extractall(folder)
    return folder / offline_copies.FOLDER


class TestArchive:
    def test_it_has_every_page_and_what_can_be_downloaded(self, archive, site):
        names = {
            Path(name).relative_to(offline_copies.FOLDER).as_posix() for name in archive.namelist()
        }
        assert names >= {"index.html", "search.html", *(f"{page}.html" for page in pages())}
        assert len([name for name in names if name.startswith("assignments/")]) > 9
        assert names == {file.relative_to(site).as_posix() for file in offline_copies.files(site)}

    def test_nothing_in_it_is_left_over(self, archive):
        dead = re.compile(
            r"\.map$|macros\.html$|/locales/|searchindex\.js$|searchtools\.js$|\.ttf$"
        )
        assert [name for name in archive.namelist() if dead.search(name)] == []

    def test_the_first_page_says_how_large_it_is(self, site):
        page = (site / READ).read_text(encoding="utf-8")
        said = re.search(r'href="\.\./book\.zip"[^>]*>[^<]*</a>\s*\((\d+) MB\)', page)
        assert abs(int(said[1]) - (site / offline_copies.ARCHIVE).stat().st_size / 1e6) < 3

    def test_it_opens_from_where_it_is_unpacked(self, opened, unpacked):
        assert "url=chapters/index.html" in (unpacked / "index.html").read_text(encoding="utf-8")
        visit = opened((unpacked / READ).as_uri())
        page = visit.page
        assert page.evaluate(DRESSED)
        assert page.locator("a", has_text="all of it as one archive").count() == 0
        page.locator(".bd-article a", has_text="watch it write").click()
        load = page.locator("[data-explorer] button.load").first
        load.click()
        load.wait_for(state="hidden")
        page.goto((unpacked / "search.html").as_uri() + "?q=softmax")
        assert page.locator("#search-results li").count() > 5
        assert visit.complaints == []
        assert [
            url for url in visit.requests if not url.startswith(("file:", "data:", "blob:"))
        ] == []


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A certificate for this machine, by nobody."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    today = datetime.datetime.now(datetime.UTC)
    signed = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(today - datetime.timedelta(days=1))
        .not_valid_after(today + datetime.timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    file = tmp_path_factory.mktemp("https") / "both.pem"
    plain = serialization.NoEncryption()
    form = serialization.PrivateFormat.PKCS8
    file.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, form, plain)
        + signed.public_bytes(serialization.Encoding.PEM)
    )
    return file


class Server:
    """A website that can go away, and come back with another book."""

    def __init__(self, folder, certificate):
        class Handler(http.server.SimpleHTTPRequestHandler):
            def end_headers(self):
                self.send_header("Cache-Control", "no-store")  # what is kept is not kept by that
                super().end_headers()

            def log_message(self, *_):
                pass

        self.folder, self.port = folder, 0
        self.handler = functools.partial(Handler, directory=str(folder))
        self.https = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.https.load_cert_chain(certificate)
        self.come()

    def come(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), self.handler)
        self.port = self.server.server_port
        self.server.socket = self.https.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def go(self):
        self.server.shutdown()
        self.server.server_close()

    def address(self, page):
        return f"https://127.0.0.1:{self.port}/book/{page}"


@pytest.fixture
def server(site, certificate, tmp_path):
    """The book on a website, in a folder of it."""
    shutil.copytree(site, tmp_path / "book", ignore=shutil.ignore_patterns("*.zip"))
    found = Server(tmp_path, certificate)
    yield found
    found.go()


@pytest.fixture
def reader(browser, server):
    """Who has read the first page there."""
    arguments = [*ARGUMENTS, "--ignore-certificate-errors"]
    chromium = browser.browser_type.launch(executable_path=program(), args=arguments)
    page = chromium.new_page(ignore_https_errors=True)
    page.set_default_timeout(20_000)
    page.goto(server.address(READ))
    wait_until_kept(page, server.address(READ), "book.css")
    yield page
    chromium.close()


def wait_until_kept(page, *addresses):
    for address in addresses:
        for _ in range(100):
            kept = page.evaluate(f"async () => (await caches.keys()).length ? ({KEPT})() : []")
            if any(address in url for url in kept):
                break
            page.wait_for_timeout(100)
        else:
            pytest.fail(f"{address} is not among {kept}")


def test_what_was_read_opens_without_a_network_and_what_was_not_says_so(server, reader):
    load = reader.locator("[data-explorer] button.load").first
    reader.goto(server.address(ALSO_READ))
    load.click()
    load.wait_for(state="hidden")
    wait_until_kept(reader, server.address(ALSO_READ), "weights-04.js")
    server.go()
    try:
        reader.goto(server.address(READ))
        assert "The Transformer from scratch" in reader.locator("h1").first.inner_text()
        assert reader.evaluate(DRESSED)
        reader.goto(server.address(ALSO_READ) + "#start=What")
        load.click()
        load.wait_for(state="hidden")
        reader.goto(server.address(UNREAD))
        assert "you have not opened this page before" in reader.locator("p").inner_text()
        links = reader.locator("li a")
        assert links.count() == 2
        links.first.click()
        assert reader.locator(".bd-article h1").is_visible()
    finally:
        server.come()
    reader.goto(server.address(UNREAD))
    assert "Positions" in reader.locator(".bd-article h1").inner_text()


def test_who_is_online_gets_today_s_page_and_a_new_book_replaces_what_is_kept(server, reader):
    book = server.folder / "book"
    reader.goto(server.address(ALSO_READ))
    wait_until_kept(reader, server.address(ALSO_READ))
    for name in (READ, ALSO_READ):
        file = book / name
        file.write_text(file.read_text().replace("<h1>", "<h1>New: "))
    reader.goto(server.address(READ))
    assert reader.locator(".bd-article h1").inner_text().startswith("New: ")
    # the other page is not opened again: it comes with the new version of the book
    worker = book / offline_copies.WORKER
    worker.write_text(worker.read_text().replace("// book ", "// book new"))
    reader.reload()
    has = """async url => {
      const cache = await caches.open((await caches.keys())[0]);
      return (await (await cache.match(url)).text()).includes("New: ");
    }"""
    for _ in range(100):
        if reader.evaluate(has, server.address(ALSO_READ)):
            break
        reader.wait_for_timeout(100)
    server.go()
    try:
        reader.goto(server.address(ALSO_READ))
        assert reader.locator(".bd-article h1").inner_text().startswith("New: ")
    finally:
        server.come()


def test_from_a_folder_and_from_plain_http_nothing_is_kept(opened, address):
    page = opened(f"{address}/{READ}").page
    page.wait_for_timeout(500)
    assert page.evaluate("navigator.serviceWorker.getRegistrations().then(all => all.length)") == 0


def test_another_book_has_another_version(tmp_path):
    (tmp_path / "index.html").write_text("one")
    first = offline_copies.version(tmp_path)
    assert offline_copies.version(tmp_path) == first
    (tmp_path / offline_copies.WORKER).write_text("of the build")
    (tmp_path / offline_copies.ARCHIVE).write_text("of the build")
    assert offline_copies.version(tmp_path) == first
    (tmp_path / "index.html").write_text("two")
    assert offline_copies.version(tmp_path) != first
