// What scripts bring that are written when the book is built: see explorer.py and writer.py in
// chapters/_ext/interactive.

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

// See chapters/_ext/interactive/playground_data.py. Two playgrounds need no numbers of a model.
interface PlaygroundGrowth {
  sizes: number[];
  changes: number[];
}
interface PlaygroundNumbers {
  attention: undefined;
  heads: {
    tokens: string[];
    layers: { products: number[][]; looks: number[][]; weights: number[][] }[];
  };
  merges: { merges: string[]; symbols: string };
  neurons: {
    tokens: string[];
    counts: number[];
    layers: { strongest: number[][]; random: number[][]; active: number[]; first: number[] }[];
  };
  opening: { sentences: { tokens: string[]; maps: number[][][]; nearest: string[][][] }[] };
  order: { losses: Record<string, number>; guessing: number };
  padding: { tokens: string[]; runs: { maps: number[][][]; cosines: number[][] }[] };
  rotary: undefined;
  sampling: { characters: string[]; texts: { text: string; logits: number[] }[] };
  stream: {
    spreads: number[];
    fresh: Record<string, PlaygroundGrowth[]>;
    trained: Record<"pre-norm" | "post-norm", PlaygroundGrowth>;
  };
  threshold: { names: string[]; labels: number[]; scores: number[][] };
}

// See chapters/_ext/interactive/search.py.
declare const book: { index: string; synonyms: string[][] };
