import { BaseError, formatEther, UserRejectedRequestError } from 'viem';
import { countVisited, createBoard } from './board.js';
import { agree, connect, endPermission, move, readAccount, readKnight, readPermission } from './player.js';

const element = (id) => document.getElementById(id);
const show = (id, text) => {
  element(id).textContent = text;
};

const board = createBoard(element('board'), (square) => run(() => move(square)));
element('connect').onclick = () => run(connect);
element('agree').onclick = () => run(agree);
element('end').onclick = () => run(endPermission);

/** Runs one action at a time, since a move is checked against the one before. Then shows the game, and how it went. */
async function run(action) {
  board.disable();
  show('status', 'A moment…');
  const failure = await action().then(() => null, explain);
  await showGame().catch((error) => show('status', explain(error)));
  if (failure) show('status', failure);
}

const isRefusal = (error) =>
  error instanceof BaseError && error.walk((each) => each instanceof UserRejectedRequestError) !== null;

const explain = (error) =>
  isRefusal(error) ? 'You refused: the knight stays.' : (error.shortMessage ?? error.message);

async function showGame() {
  const [account, knight, permission] = await Promise.all([readAccount(), readKnight(), readPermission()]);
  board.draw(knight);
  show('status', describe(account, knight));
  show('account', account ?? '');
  show(
    'left',
    permission
      ? `${formatEther(BigInt(permission.left))} tRBTC are left for moves without a question.`
      : 'Your wallet asks for each move.',
  );
  element('connect').hidden = account !== undefined;
  element('agree').hidden = account === undefined || permission !== undefined;
  element('end').hidden = permission === undefined;
}

function describe(account, knight) {
  if (knight) return `${countVisited(knight)} of 64 squares with ${knight.moves} moves.`;
  return account ? 'Send some coins to your account, then play.' : 'Visit all 64 squares with a knight.';
}

run(async () => {});
