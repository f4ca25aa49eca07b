/** Draws a board of 64 squares. Calls `jump` with the number of a square that the player chooses. */
export function createBoard(root, jump) {
  const squares = Array.from({ length: 64 }, (_, square) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.ariaLabel = `${'abcdefgh'[square % 8]}${8 - Math.floor(square / 8)}`;
    button.onclick = () => jump(square);
    root.append(button);
    return button;
  });

  return {
    /** Shows where the knight is and was; `null` for no knight. A square can be chosen if the knight can jump there. */
    draw(knight) {
      for (const [square, button] of squares.entries()) {
        button.textContent = square === knight?.square ? '♞' : '';
        button.className = knight && wasAt(knight, square) ? 'visited' : '';
        button.disabled = !knight || !canJump(knight.square, square);
      }
    },
    disable() {
      for (const button of squares) button.disabled = true;
    },
  };
}

/** A knight begins on the first square, which the contract doesn't write down. */
const wasAt = ({ visited }, square) => square === 0 || (visited >> BigInt(square)) % 2n === 1n;

const canJump = (from, to) =>
  Math.abs((from % 8) - (to % 8)) * Math.abs(Math.floor(from / 8) - Math.floor(to / 8)) === 2;

/** How many squares the knight has visited. */
export const countVisited = (knight) =>
  Array.from({ length: 64 }, (_, square) => wasAt(knight, square)).filter(Boolean).length;
