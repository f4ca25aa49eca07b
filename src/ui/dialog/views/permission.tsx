import { useState } from 'preact/hooks';
import type { TokenLabel } from '../../../approvals/decode-call.js';
import type {
  Answer,
  LoweredPermission,
  PermissionQuestion,
  QuestionNetwork,
  QuestionPurse,
  RequestedPermission,
} from '../../../approvals/question.js';
import { own } from '../../../rpc/own.js';
import { totalOf } from '../../../rpc/permission-terms.js';
import type { Address, Hex } from '../../../rpc/schema.js';
import { type Content, Fragment, fill, h, sentence } from '../../h.js';
import { ownAccount, party } from '../../pieces/address.js';
import { amountField, formatAmount, formatMaxCoins, formatTime, readAmount } from '../../pieces/amounts.js';
import { amountLine, hero } from '../../pieces/hero.js';
import { errorLine } from '../../pieces/lines.js';
import { blocks, rows } from '../../pieces/lists.js';
import { formatRate, permittedAmount, permittedUnit, permittedUse } from '../../pieces/permissions.js';
import { siteName } from '../../pieces/site.js';
import { disclosure } from '../../pieces/text.js';
import { details } from '../../styles/details.js';
import type { DialogWords } from '../../words/words.js';
import { signedAmount, tokenParty } from './call.js';
import type { ViewOf } from './view.js';

export const permission: ViewOf<'permission'> = (question, words) => {
  const { origin, account, network, permissions } = question;
  const { purse } = own(question);
  const lowered: (LoweredPermission | null)[] = permissions.map(() => ({}));
  return {
    title: words.permissionTitle,
    lead: sentence(purse ? words.purse.lead : words.permissionLead, { site: siteName(origin) }),
    subject: [
      <Permissions question={question} lowered={lowered} words={words} />,
      purse && moved(purse, network, words),
    ],
    more: [blocks([words.from, ownAccount(account, network.chainId)])],
    styles: details,
    confirm: purse ? words.purse.confirm : words.permissionConfirm,
    answer() {
      const answers = lowered.filter((each) => each !== null);
      if (answers.length < permissions.length) return null;
      const isLowered = answers.some((each) => Object.keys(each).length > 0);
      return own<Answer>({ approved: true, ...(isLowered && { permissions: answers }) });
    },
  };
};

/** The most that all can cost, then each permission with its limits, which the person may lower. */
function Permissions({ question, lowered, words }: Properties): Content {
  const { permissions, network } = question;
  const [typed, type] = useState<readonly Typed[]>(
    permissions.map(({ end }) => ({ amount: '', end: localTime(end) })),
  );
  const chosen = permissions.map((each, index) => readTyped(each, typed[index] as Typed, network, words));
  chosen.forEach((each, index) => {
    lowered[index] = each.lowered;
  });
  return [
    inAll(chosen, network, words),
    permissions.map((each, index) => (
      <>
        {permissions.length > 1 && <h3>{`#${index + 1} ${words.permissionKinds[permittedUse(each)]}`}</h3>}
        {limits(chosen[index] as Chosen, network, words)}
        {each.isAdjustable &&
          fields(chosen[index] as Chosen, index, typed[index] as Typed, network, words, (change) =>
            type(typed.map((old, i) => (i === index ? { ...old, ...change } : old))),
          )}
      </>
    )),
  ];
}

interface Properties {
  readonly question: PermissionQuestion;
  /** Holds the choices for the answer; `null` while one is not valid. */
  readonly lowered: (LoweredPermission | null)[];
  readonly words: DialogWords;
}

interface Typed {
  readonly amount: string;
  readonly end: string;
}

/** A permission with the amount and the end that are shown: the lowered ones where they are valid. */
interface Chosen {
  readonly terms: RequestedPermission;
  readonly lowered: LoweredPermission | null;
  readonly amountError: string | null;
  readonly endError: string | null;
}

function readTyped(
  terms: RequestedPermission,
  typed: Typed,
  network: QuestionNetwork,
  words: DialogWords,
): Chosen {
  const { permissionErrors: errors } = words;
  const { decimals } = permittedUnit(terms, network, words);
  const units = typed.amount === '' ? null : readAmount(typed.amount, decimals, words);
  let amountError: string | null = null;
  if (units === 'decimals') amountError = fill(errors.decimals, { decimals });
  else if (typeof units === 'string') amountError = errors.format;
  else if (units === 0n) amountError = errors.zero;
  else if (units !== null && units > BigInt(terms.amount))
    amountError = fill(errors.high, { amount: line(terms, terms.amount, network, words) });

  const end = typed.end === localTime(terms.end) ? terms.end : Date.parse(typed.end) / 1000;
  const earliest = Math.max(terms.start, Math.floor(Date.now() / 1000));
  let endError: string | null = null;
  if (Number.isNaN(end)) endError = errors.time;
  else if (end > terms.end) endError = fill(errors.late, { time: timeOf(terms.end, words) });
  else if (end !== terms.end && end <= earliest)
    endError = fill(errors.early, { time: timeOf(earliest, words) });

  const isLower = amountError === null && typeof units === 'bigint' && units < BigInt(terms.amount);
  const lowered = {
    ...(isLower && { amount: `0x${units.toString(16)}` as const }),
    ...(endError === null && end < terms.end && { end }),
  };
  return {
    terms: own({ ...terms, ...lowered }),
    lowered: amountError === null && endError === null ? own<LoweredPermission>(lowered) : null,
    amountError,
    endError,
  };
}

/** The most that all can cost: the coins in one sum with the fees, and the sum of each token. */
function inAll(chosen: readonly Chosen[], network: QuestionNetwork, words: DialogWords): Content {
  let coins = 0n;
  let fees = 0n;
  const tokens = new Map<
    Address | undefined,
    { readonly terms: RequestedPermission; readonly units: bigint }
  >();
  for (const { terms } of chosen) {
    const units = totalOf(terms, terms.amount);
    if (terms.token === undefined) coins += units;
    else tokens.set(terms.token, { terms, units: units + (tokens.get(terms.token)?.units ?? 0n) });
    if (terms.fees !== undefined) fees += totalOf(terms, terms.fees);
  }
  const amounts = [...tokens.values()].map(({ terms, units }) =>
    permittedAmount(terms, units, network, words),
  );
  if (coins > 0n)
    amounts.unshift({ text: formatAmount(coins + fees, network.decimals, words), unit: network.symbol });
  return [
    <h3>{words.permissionInAll}</h3>,
    amounts.map((amount, index) => hero(amount, index === 0 ? 'amount' : null)),
    <p>
      <small>
        {coins > 0n
          ? words.permissionFeesIncluded
          : sentence(words.permissionFees, { amount: formatMaxCoins(fees, network, words) })}
      </small>
    </p>,
  ];
}

/** The amounts that the confirmation moves to the purse, with the fee of moving them. */
function moved(
  { address, moved, fee }: QuestionPurse,
  network: QuestionNetwork,
  words: DialogWords,
): Content {
  const amounts = moved.map(({ units, token }) => (
    <li>
      <bdi>
        {amountLine(permittedAmount({ token: token?.address, tokenLabel: token }, units, network, words))}
      </bdi>
    </li>
  ));
  return [
    rows(
      [words.purse.moved, <strong>{amounts.length === 0 ? words.purse.nothing : <ul>{amounts}</ul>}</strong>],
      amounts.length > 0 && [words.fee, <bdi>{formatMaxCoins(BigInt(fee), network, words)}</bdi>],
    ),
    blocks([words.purse.address, party(address, network.chainId)]),
    <p>
      <small>{words.purse.note}</small>
    </p>,
  ];
}

function limits({ terms }: Chosen, network: QuestionNetwork, words: DialogWords): Content {
  const { chainId } = network;
  const { payees, contracts, period, justification } = terms;
  const label = labelOf(terms);
  const rate = (amount: string): Content => formatRate(amount, period, words);
  const paid = payees?.map((each) => <li>{party(each, chainId)}</li>);
  const called = contracts?.map(({ address, selectors, names }) => (
    <li>
      {party(address, chainId)}
      <small>
        {selectors.map((selector, index) => (
          <>
            {index > 0 && ', '}
            {names?.[selector] !== undefined && [<bdi>{names[selector]}</bdi>, ' ']}
            <code>{selector}</code>
          </>
        ))}
      </small>
    </li>
  ));
  // Each may get something, so that none is collapsed.
  const to = called ?? paid;
  return [
    rows(
      [
        words.permissionLimit,
        [
          <strong>{rate(line(terms, terms.amount, network, words))}</strong>,
          <small>
            {terms.fees === undefined
              ? words.permissionFeesIncluded
              : sentence(words.permissionFees, { amount: rate(formatMaxCoins(terms.fees, network, words)) })}
          </small>,
        ],
      ],
      label !== null && signedAmount(BigInt(terms.amount).toString(), label, words),
      terms.spent !== undefined && [
        words.permissionSpent,
        <bdi>{line(terms, terms.spent, network, words)}</bdi>,
      ],
      [words.notBefore, timeOf(terms.start, words)],
      [words.deadline, <strong>{timeOf(terms.end, words)}</strong>],
    ),
    blocks(
      [words.permissionTo[permittedUse(terms)], to ? <ul>{to}</ul> : words.permissionAnyone],
      label !== null && [words.token, tokenParty(label, chainId, words)],
      justification !== undefined && [words.permissionReason, <bdi>{justification}</bdi>],
    ),
  ];
}

function fields(
  { terms, amountError, endError }: Chosen,
  index: number,
  typed: Typed,
  network: QuestionNetwork,
  words: DialogWords,
  change: (change: Partial<Typed>) => void,
): Content {
  const { unit } = permittedUnit(terms, network, words);
  const [limit, end] = [`limit-${index}`, `end-${index}`];
  return [
    disclosure(
      words.permissionLower,
      <label for={limit}>{unit === null ? words.limit : fill(words.limitIn, { unit })}</label>,
      amountField(limit, typed.amount, amountError === null, (text) => change({ amount: text.trim() })),
      <small id={`${limit}-note`}>{words.limitNote}</small>,
      <label for={end}>{words.deadline}</label>,
      <input
        id={end}
        type="datetime-local"
        value={typed.end}
        aria-invalid={String(endError !== null)}
        onInput={({ currentTarget }) => change({ end: currentTarget.value })}
      />,
    ),
    // Outside of what can be collapsed, because they keep the question from being confirmed.
    errorLine(amountError),
    errorLine(endError),
  ];
}

/** The token that a permission is for; `null` for coins. */
const labelOf = ({ token, tokenLabel }: RequestedPermission): TokenLabel | null =>
  token === undefined ? null : own({ ...tokenLabel, address: token });

const line = (terms: RequestedPermission, units: Hex, network: QuestionNetwork, words: DialogWords): string =>
  amountLine(permittedAmount(terms, units, network, words));

const timeOf = (seconds: number, words: DialogWords): string => formatTime(String(seconds), words) ?? '';

/** A time in the form of `datetime-local`, without its seconds. */
function localTime(seconds: number): string {
  const offset = new Date(seconds * 1000).getTimezoneOffset() * 60;
  return new Date((seconds - offset) * 1000).toISOString().slice(0, 16);
}
