// @ts-check
// WordPiece as BERT's tokenizer does it: clean the text, split it at spaces and punctuation, and cut
// each word into the longest pieces that the vocabulary has.
"use strict";

class WordPiece {
  static special = /(\[(?:PAD|UNK|CLS|SEP|MASK)\])/;
  static longestWord = 100; // characters; a longer one is [UNK]
  static ideographs =
    /[\u4e00-\u9fff\u3400-\u4dbf\u{20000}-\u{2a6df}\u{2a700}-\u{2b73f}\u{2b740}-\u{2b81f}\u{2b820}-\u{2ceaf}\uf900-\ufaff\u{2f800}-\u{2fa1f}]/gu;
  static word = /[!-/:-@[-`{-~]|\p{P}|[^\s!-/:-@[-`{-~\p{P}]+/gu;

  /** @param {string[]} vocabulary */
  constructor(vocabulary) {
    this.tokens = vocabulary;
    this.ids = new Map(vocabulary.map((token, id) => [token, id]));
  }

  /**
   * The ids of a text, with [CLS] before and [SEP] after it.
   * @param {string} text
   */
  encode(text) {
    const tokens = text
      .split(WordPiece.special)
      .flatMap((piece) => (WordPiece.special.test(piece) ? [piece] : this.split(piece)));
    return ["[CLS]", ...tokens, "[SEP]"].map((token) => this.ids.get(token) ?? 0);
  }

  /** @param {string} text */
  split(text) {
    const words = WordPiece.normalise(text).match(WordPiece.word) ?? [];
    return words.flatMap((word) => this.cut(word));
  }

  /**
   * The longest pieces from the left; a word with a piece that has no name has none as a whole.
   * @param {string} word
   */
  cut(word) {
    const characters = [...word];
    /** @type {string[]} */
    const pieces = [];
    if (characters.length > WordPiece.longestWord) return ["[UNK]"];
    for (let start = 0, end = 0; start < characters.length; start = end) {
      const piece = () => (start ? "##" : "") + characters.slice(start, end).join("");
      for (end = characters.length; end > start && !this.ids.has(piece()); end--);
      if (end === start) return ["[UNK]"];
      pieces.push(piece());
    }
    return pieces;
  }

  /**
   * Without control characters, accents and capitals; every Chinese character is a word.
   * @param {string} text
   */
  static normalise(text) {
    const clean = text
      .replace(/[\t\n\r]/g, " ")
      .replace(/[\0\ufffd\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu, "");
    const apart = clean.replace(/\p{White_Space}/gu, " ").replace(WordPiece.ideographs, " $& ");
    const bare = apart.normalize("NFD").replace(/\p{Mn}/gu, "");
    return Array.from(bare, (character) => character.toLowerCase()).join("");
  }
}
