import type { CallTree } from '../../../approvals/call-tree.js';
import type { DecodedCall } from '../../../approvals/decode-call.js';
import type { QuestionNetwork } from '../../../approvals/question.js';
import { type Content, h } from '../../h.js';
import { party } from '../../pieces/address.js';
import { formatCoins } from '../../pieces/amounts.js';
import { amountLine } from '../../pieces/hero.js';
import { blocks, type Row, rows } from '../../pieces/lists.js';
import type { DialogWords } from '../../words/words.js';
import { describeCall, type NameOf } from './call.js';

/** A section with the calls that another one carries out: each with what it does, and below it the calls inside it. */
export function callsInside(
  calls: readonly CallTree[],
  network: QuestionNetwork,
  words: DialogWords,
  nameOf?: NameOf,
): Content {
  const list = (inner: readonly CallTree[]): Content =>
    inner.length > 0 && (
      <ol class="calls">
        {inner.map((call) => (
          <li>
            {callContent(call, network, words, nameOf)}
            {list(call.inner)}
          </li>
        ))}
      </ol>
    );
  return (
    calls.length > 0 && (
      <section class="card">
        <h3>{words.callsInside}</h3>
        {list(calls)}
      </section>
    )
  );
}

function callContent(call: CallTree, network: QuestionNetwork, words: DialogWords, nameOf?: NameOf): Content {
  const { to, value, effect, method, selector, delegated, tokens } = call;
  const { chainId } = network;
  const hasValue = BigInt(value) > 0n;
  const target = effect === 'creation' ? words.newContract : to && party(to, chainId, nameOf?.(to) ?? null);
  const role = delegated ? words.runsCodeOf : effect === 'payment' ? words.to : words.contract;
  return [
    rows(
      effect !== 'payment' && [words.method, <code>{method ?? selector}</code>],
      hasValue && [
        effect === 'payment' ? words.amount : words.alsoSends,
        <bdi>{formatCoins(value, network, words)}</bdi>,
      ],
    ),
    tokens.map((each) => tokenContent(each, chainId, words, nameOf)),
    (tokens.length === 0 || delegated) && blocks([role, target ?? words.notStated]),
    tokens.length === 0 && rows(...call.arguments.map(argumentRow)),
  ];
}

/** Describes what a call does to a token in the words of a question about it alone. */
function tokenContent(call: DecodedCall, chainId: number, words: DialogWords, nameOf?: NameOf): Content {
  const { title, hero, parties, signed } = describeCall(call, chainId, words, nameOf);
  return [rows([title as string, <bdi>{hero && amountLine(hero)}</bdi>], signed), blocks(...parties)];
}

const argumentRow = ({ name, value }: CallTree['arguments'][number]): Row => [
  name,
  <code dir="auto">{value}</code>,
];
