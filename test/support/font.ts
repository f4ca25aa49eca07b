/**
 * A TrueType font that shows other digits than the text has: each digit d has the seven-segment glyph of 9 - d, each
 * other character a box. A page could load it by `@font-face`.
 */
export function lyingFont(): Buffer {
  const characters = Array.from({ length: 95 }, (_, index) => 32 + index);
  const glyphs = [box, ...characters.map((code) => pictureOf(String.fromCharCode(code)))].map(outline);
  const offsets = [0];
  for (const glyph of glyphs) offsets.push((offsets.at(-1) as number) + glyph.length);
  const count = glyphs.length;
  return assemble({
    'OS/2': Buffer.concat([
      words(4, advance, 400, 5, 0),
      words(650, 600, 0, 75, 650, 600, 0, 350, 50, 250, 0),
      Buffer.alloc(10 + 16),
      Buffer.from('TEST'),
      words(0x40, 32, 126, ascent, -descent, 0, ascent, descent),
      Buffer.alloc(8),
      words(500, 700, 0, 32, 1),
    ]),
    cmap: cmap(characters),
    glyf: Buffer.concat(glyphs),
    head: Buffer.concat([
      long(0x00010000, 0x00010000, 0, 0x5f0f3cf5),
      words(0, unitsPerEm),
      Buffer.alloc(16),
      words(0, -descent, advance, ascent, 0, 8, 2, 1, 0),
    ]),
    hhea: Buffer.concat([
      long(0x00010000),
      words(ascent, -descent, 0, advance, 0, 0, advance, 1, 0, 0, 0, 0, 0, 0, 0, count),
    ]),
    hmtx: Buffer.concat(glyphs.map(() => words(advance, 0))),
    loca: long(...offsets),
    maxp: Buffer.concat([long(0x00010000), words(count, 64, 16, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0)]),
    name: words(0, 0, 6),
    post: Buffer.concat([long(0x00030000, 0), words(-100, 50), long(1, 0, 0, 0, 0)]),
  });
}

const unitsPerEm = 1000;
const advance = 600;
const ascent = 800;
const descent = 200;

type Rectangle = readonly [left: number, bottom: number, right: number, top: number];

const box: readonly Rectangle[] = [[80, 0, 520, 700]];
/** Top, upper right, lower right, bottom, lower left, upper left, middle. */
const segments: readonly Rectangle[] = [
  [80, 620, 520, 700],
  [440, 350, 520, 700],
  [440, 0, 520, 350],
  [80, 0, 520, 80],
  [80, 0, 160, 350],
  [80, 350, 160, 700],
  [80, 310, 520, 390],
];
const digits = ['012345', '12', '01346', '01236', '1256', '02356', '023456', '012', '0123456', '012356'];

function pictureOf(character: string): readonly Rectangle[] {
  if (character === ' ') return [];
  if (!/\d/.test(character)) return box;
  return [...(digits[9 - Number(character)] as string)].map((index) => segments[Number(index)] as Rectangle);
}

/** A simple glyph: one closed contour for each rectangle, every point on the curve. */
function outline(rectangles: readonly Rectangle[]): Buffer {
  if (rectangles.length === 0) return Buffer.alloc(0);
  const points = rectangles.flatMap(([left, bottom, right, top]) => [
    [left, bottom],
    [left, top],
    [right, top],
    [right, bottom],
  ]) as [number, number][];
  const steps = (axis: 0 | 1) =>
    points.map(
      (point, index) => point[axis] - (index === 0 ? 0 : (points[index - 1] as [number, number])[axis]),
    );
  const glyph = Buffer.concat([
    words(rectangles.length, 0, 0, advance, 700),
    words(...rectangles.map((_, index) => index * 4 + 3)),
    words(0),
    Buffer.alloc(points.length, 1),
    words(...steps(0)),
    words(...steps(1)),
  ]);
  return Buffer.concat([glyph, Buffer.alloc(-glyph.length & 3)]);
}

/** Format 4, one segment: the characters in their order, from glyph 1 on. */
function cmap(characters: readonly number[]): Buffer {
  const [first, last] = [characters[0] as number, characters.at(-1) as number];
  const body = words(4, 4, 1, 0, last, 0xffff, 0, first, 0xffff, 1 - first, 1, 0, 0);
  return Buffer.concat([words(0, 1, 3, 1), long(12), words(4, body.length + 6, 0), body]);
}

const words = (...values: number[]): Buffer =>
  Buffer.concat(values.map((value) => Buffer.from([(value >> 8) & 0xff, value & 0xff])));

const long = (...values: number[]): Buffer =>
  Buffer.concat(values.map((value) => words((value >>> 16) & 0xffff, value & 0xffff)));

function assemble(tables: Readonly<Record<string, Buffer>>): Buffer {
  const entries = Object.entries(tables);
  let offset = 12 + entries.length * 16;
  const directory: Buffer[] = [long(0x00010000), words(entries.length, 128, 3, entries.length * 16 - 128)];
  const bodies: Buffer[] = [];
  for (const [tag, body] of entries) {
    const padded = Buffer.concat([body, Buffer.alloc(-body.length & 3)]);
    let sum = 0;
    for (let at = 0; at < padded.length; at += 4) sum = (sum + padded.readUInt32BE(at)) >>> 0;
    directory.push(Buffer.from(tag), long(sum, offset, body.length));
    bodies.push(padded);
    offset += padded.length;
  }
  return Buffer.concat([...directory, ...bodies]);
}
