// What scripts bring that are written when the book is built: see chapters/_ext/explorer.py, writer.py.

interface ModelScripts {
  scripts: Record<string, number>;
  bytes: number;
  part: number;
}
declare const explorerAbout: ModelScripts & {
  config: { layers: number; heads: number; hidden: number; inner: number; epsilon: number };
  places: { matrices: [string, number, number][]; vectors: [string, number][] };
};
declare const explorerOpening: {
  word: string;
  poles: string[];
  cosines: number[][];
  readings: {
    sentence: string;
    ids: number[];
    tokens: string[];
    maps: number[][];
    nearest: string[][];
    margins: number[];
  }[];
};
declare const writerAbout: ModelScripts & {
  config: {
    layers: number;
    heads: number;
    hidden: number;
    inner: number;
    vocabulary: number;
    positions: number;
    epsilon: number;
    theta: number;
  };
  characters: string;
  places: [string, number][];
};
declare const writerOpening: {
  text: string;
  rows: { logits: number[]; weights: number[] }[];
};
