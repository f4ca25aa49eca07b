import type { Address } from '../../src/index.js';

const colours = ['#ff9a3d', '#7ed6a5', '#f2c14e', '#4f9e97', '#e8755a', '#b9d8c2', '#d98cb3', '#8fb8de'];

/** A coloured image derived from the first bytes of an address, to tell accounts apart. It proves nothing. */
export function avatar(address: Address): SVGElement {
  const digit = (index: number) => Number.parseInt(address.slice(2 + index * 2, 4 + index * 2), 16);
  const first = digit(0) % colours.length;
  const second = (first + 1 + (digit(1) % (colours.length - 1))) % colours.length;
  const angle = (digit(2) / 256) * 2 * Math.PI;
  const draw = (name: string, attributes: Record<string, string | number | undefined>) => {
    const made = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
    return made;
  };
  const circle = (distance: number, r: number, fill: string | undefined) =>
    draw('circle', { cx: 20 + distance * Math.cos(angle), cy: 20 + distance * Math.sin(angle), r, fill });
  const svg = draw('svg', { viewBox: '0 0 40 40', class: 'avatar', 'aria-hidden': 'true' });
  svg.append(circle(0, 30, colours[first]), circle(14, 17, colours[second]), circle(19, 7, '#172b26'));
  return svg as SVGElement;
}
