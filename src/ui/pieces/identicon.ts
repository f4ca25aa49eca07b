import { type Content, drawing } from '../h.js';

/**
 * A small symmetric image derived from all digits of an address. It differs for addresses that were generated to share
 * their first and last digits (address poisoning).
 */
export function identicon(address: string): Content {
  let state = 0x811c9dc5;
  for (const digit of address.toLowerCase()) state = Math.imul(state ^ digit.charCodeAt(0), 0x01000193);
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
  next();
  const hue = next() % 360;
  const colour = (turn: number, light: number) => `hsl(${(hue + turn) % 360} 62% ${light}%)`;
  const cells = ['', ''];
  for (let row = 0; row < 6; row++) {
    for (let column = 0; column < 3; column++) {
      const choice = next() % 5;
      if (choice > 2) continue;
      const layer = choice === 2 ? 1 : 0;
      cells[layer] += `M${column} ${row}h1v1h-1zM${5 - column} ${row}h1v1h-1z`;
    }
  }
  return drawing('identicon', 6, [
    { d: 'M0 0h6v6h-6z', fill: colour(0, 88) },
    { d: cells[0] ?? '', fill: colour(0, 45) },
    { d: cells[1] ?? '', fill: colour(150, 55) },
  ]);
}
