"""Archives from a learning platform: what is honest is unpacked, the rest left out and named."""

import io
import logging
import tarfile
import zipfile

import pytest

from grading.platforms.archives import BoundedExtractor, CheckedCollector


@pytest.fixture
def unpack(tmp_path, caplog):
    (tmp_path / "in").mkdir()

    def run():
        extractor = BoundedExtractor(max_bytes=1_000_000, max_members=50)
        extractor.log = logging.getLogger("test")
        extractor.extract(str(tmp_path / "in"), str(tmp_path / "out"))
        out = tmp_path / "out"
        files = {str(p.relative_to(out)): p.read_bytes() for p in out.rglob("*") if p.is_file()}
        return files, caplog.text

    run.folder = tmp_path / "in"
    return run


def make_zip(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def make_tar(path, *members):
    with tarfile.open(path, "w:gz") as archive:
        for member, content in members:
            archive.addfile(member, io.BytesIO(content))


def test_archives_and_plain_files_arrive(unpack):
    make_zip(unpack.folder / "all.zip", {"ada_x.ipynb": "{}", "data/a.csv": "1"})
    member = tarfile.TarInfo("bob_x.ipynb")
    member.size = 2
    make_tar(unpack.folder / "more.tar.gz", (member, b"{}"))
    (unpack.folder / "eve_x.ipynb").write_text("{}")
    files, _ = unpack()
    assert files == {
        "all/ada_x.ipynb": b"{}", "all/data/a.csv": b"1", "more/bob_x.ipynb": b"{}",
        "eve_x.ipynb": b"{}",
    }  # fmt: skip


@pytest.mark.parametrize("name", ["../evil", "a/../../evil", "/tmp/evil"])
def test_nothing_is_written_outside(unpack, tmp_path, name):
    make_zip(unpack.folder / "bad.zip", {"first": "1", name: "evil"})
    make_zip(unpack.folder / "good.zip", {"x": "1"})
    files, log = unpack()
    assert files == {"bad/first": b"1", "good/x": b"1"}
    assert f"bad.zip: {name!r} is left out: it would be written outside its folder." in log
    assert not list(tmp_path.rglob("evil"))


@pytest.mark.parametrize("name", ["..\\evil", "C:\\evil", "mal_2_2_x\\bob_3_3_y", "at 12:30"])
def test_what_separates_folders_elsewhere_is_part_of_a_name(unpack, name):
    make_zip(unpack.folder / "class.zip", {name: "1"})
    assert unpack()[0] == {f"class/{name}".replace("\\", "_"): b"1"}


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_a_member_that_cannot_be_taken_costs_no_other(unpack, kind):
    members = [
        ("mal/" + "ä" * 130, "1"), ("mal/" + "/".join(["e" * 250] * 17), "1"), ("mal/a", "2"),
        ("mal/a/b", "3"), ("mal/a", "4"), ("mal/c/d", "5"), ("mal/c", "6"),
        ("mal/" + "d/" * 1500 + "x", "7"), ("mal/\x1b[2J/../x", "8"), ("zoe/x", "9"),
    ]  # fmt: skip
    if kind == "zip":
        with zipfile.ZipFile(unpack.folder / "class.zip", "w") as archive:
            for name, content in members:
                archive.writestr(zipfile.ZipInfo(name), content)
    else:
        infos = [(tarfile.TarInfo(name), content.encode()) for name, content in members]
        for info, _ in infos:
            info.size = 1
        make_tar(unpack.folder / "class.tar.gz", *infos)
    files, log = unpack()
    assert files == {"class/mal/a": b"2", "class/mal/c/d": b"5", "class/zoe/x": b"9"}
    assert log.count("is left out") == 7
    for reason in (
        "its name is too long.",
        "'mal/a/b' is left out: a file or a folder of this name came before it.",
        "'mal/c' is left out: a file or a folder",
        "it lies in more than 20 folders.",
    ):
        assert reason in log
    assert "\x1b" not in log
    assert all(len(line) < 300 for line in log.splitlines())


def test_bombs_are_refused_before_they_are_unpacked(unpack):
    make_zip(unpack.folder / "large.zip", {"zeros": b"\0" * 2_000_000})
    make_zip(unpack.folder / "many.zip", {str(number): "" for number in range(60)})
    big = tarfile.TarInfo("zeros")
    big.size = 2_000_000
    make_tar(unpack.folder / "large.tar.gz", (big, b"\0" * 2_000_000))
    files, log = unpack()
    assert files == {}
    assert log.count("is left out") == 3


def test_an_archive_in_an_archive_stays_one(unpack):
    inner = io.BytesIO()
    make_zip(inner, {"x": "1"})
    make_zip(unpack.folder / "outer.zip", {"inner.zip": inner.getvalue()})
    files, _ = unpack()
    assert list(files) == ["outer/inner.zip"]


def test_links_are_refused(unpack):
    link = tarfile.TarInfo("link")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    make_tar(unpack.folder / "link.tar.gz", (link, b""))
    info = zipfile.ZipInfo("link")
    info.external_attr = 0o120777 << 16
    with zipfile.ZipFile(unpack.folder / "link.zip", "w") as archive:
        archive.writestr(info, "/etc/passwd")
    (unpack.folder / "direct").symlink_to("/etc/passwd")
    files, log = unpack()
    assert files == {}
    assert log.count("is a link or a device") == 2
    assert "direct is no plain file" in log


def test_a_file_that_is_no_archive_is_named(unpack):
    (unpack.folder / "broken.zip").write_bytes(b"PK\x03\x04 and nothing more")
    files, log = unpack()
    assert files == {}
    assert "broken.zip is left out: it is no archive." in log


@pytest.mark.parametrize(
    "kind", [tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, tarfile.XHDTYPE]
)
def test_a_long_head_is_refused_before_it_is_read(unpack, kind):
    """Some hundred megabytes of a name take some hundred kilobytes in an archive."""
    import tracemalloc

    head = tarfile.TarInfo("././@LongLink")
    head.type, head.size = kind, 200_000_000

    class Zeros(io.RawIOBase):
        left = head.size

        def read(self, size=-1):
            size = min(size, self.left)
            self.left -= size
            return bytes(size)

    with tarfile.open(unpack.folder / "bomb.tar.gz", "w:gz", compresslevel=1) as archive:
        archive.addfile(head, Zeros())
        archive.addfile(tarfile.TarInfo("x"))
    make_zip(unpack.folder / "good.zip", {"x": "1"})
    tracemalloc.start()
    files, log = unpack()
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()
    assert files == {"good/x": b"1"}
    assert "bomb.tar.gz is left out" in log


def test_heads_of_heads_without_end_are_refused(unpack):
    with tarfile.open(unpack.folder / "many.tar.gz", "w:gz") as archive:
        for _ in range(5_000):
            head = tarfile.TarInfo("././@LongLink")
            head.type, head.size = tarfile.GNUTYPE_LONGNAME, 1
            archive.addfile(head, io.BytesIO(b"x"))
        archive.addfile(tarfile.TarInfo("x"))
    files, log = unpack()
    assert files == {}
    assert "many.tar.gz is left out" in log


def test_long_names_of_honest_archives_are_read(unpack):
    name = "/".join(["folder" * 10] * 4) + "/" + "ä" * 100 + ".ipynb"
    for number, form in enumerate((tarfile.GNU_FORMAT, tarfile.PAX_FORMAT)):
        with tarfile.open(unpack.folder / f"{number}.tar.gz", "w:gz", format=form) as archive:
            archive.addfile(tarfile.TarInfo(name))
    files, _ = unpack()
    assert files == {f"{number}/{name}": b"" for number in (0, 1)}


@pytest.mark.parametrize(
    ("name", "taken"),
    [
        ("ada_x.ipynb", True),
        ("Zoë M._x.ipynb", True),
        (".._x.ipynb", False),
        ("._x.ipynb", False),
        ("_x.ipynb", False),
        ("<b>_x.ipynb", False),
        ("a\x1b[2J_x.ipynb", False),
        ("ada_.._.._x.ipynb", True),
        ("ada_/etc/x.ipynb", False),
        ("ada_../x.ipynb", False),
    ],
)
def test_only_ids_and_names_that_stay_in_their_folder_are_collected(caplog, name, taken):
    collector = CheckedCollector(named_regexp=r"(?P<student_id>[^_]*)_(?P<file_id>.*)\.ipynb")
    collector.log = logging.getLogger("test")
    found = collector.collect(name)
    assert bool(found) == taken
    assert taken or "is left out" in caplog.text
    assert all(line.isprintable() for line in caplog.text.splitlines())
