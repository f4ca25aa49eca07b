import { createRef } from 'preact';
import type { Unproven } from '../../approvals/owner.js';
import { errorCode } from '../../rpc/errors.js';
import { own } from '../../rpc/own.js';
import type { Address } from '../../rpc/schema.js';
import { type Content, fill, h } from '../h.js';
import { party } from '../pieces/address.js';
import { codeOf, Problem, unprovenIn } from '../pieces/errors.js';
import { mark } from '../pieces/icons.js';
import { blocks } from '../pieces/lists.js';
import { hasPasskeys } from './protection.js';
import { anyChain, type Stage, type Step, stepStyles } from './stage.js';

export const styles = stepStyles;

/**
 * Asks whether a vault of an older version is the person's, and unlocks it then.
 * @param unlock unlocks it, with the accounts that the person has agreed to
 */
export function startUnproven(
  stage: Stage,
  found: Unproven,
  unlock: (accepted: readonly Address[]) => Promise<void>,
): void {
  const ask = (next: Unproven): void =>
    stage.show(
      unprovenStep(stage, next, {
        back: stage.cancel,
        async confirm() {
          try {
            await unlock(next.accounts);
          } catch (error) {
            const changed = unprovenIn(error);
            if (changed === null) throw error;
            // It is another vault than the one that the person has agreed to.
            return ask(changed);
          }
          await offerPasskeys(stage, () =>
            stage.done(next.accounts.map((address) => ({ address, label: address }))),
          );
        },
      }),
    );
  ask(found);
}

/** Shows which accounts a vault or file would open, beside those that are known here. Its main button agrees to them. */
export function unprovenStep(
  { words }: Stage,
  { accounts, known, passkeys, losesPassword }: Unproven,
  { back, confirm }: { readonly back: () => void; readonly confirm: () => Promise<void> },
): Step {
  const isSame = accounts.length === known.length && accounts.every((address) => known.includes(address));
  const listOf = (addresses: readonly Address[], others: readonly Address[]): Content =>
    addresses.length === 0
      ? words.none
      : addresses.map((address) =>
          party(address, anyChain, !others.includes(address) && words.unprovenOther),
        );
  return {
    title: words.unprovenTitle,
    lead: words.unprovenLead,
    subject: [
      !isSame && (
        <ul class="warnings" aria-label={words.warnings}>
          <li data-severity="danger">
            {mark('danger')}
            <div role="alert">
              <strong>{words.unprovenDiffer[0]}</strong>
              <p>{words.unprovenDiffer[1]}</p>
            </div>
          </li>
        </ul>
      ),
      blocks(
        [words.unprovenAccounts, listOf(accounts, known)],
        [words.unprovenKnown, listOf(known, accounts)],
        passkeys.length > 0 && [
          words.unprovenPasskeys,
          <ul>
            {passkeys.map((name) => (
              <li>
                <bdi class="name">{name}</bdi>
              </li>
            ))}
          </ul>,
        ],
      ),
      losesPassword && (
        <p class="note" role="note">
          {words.unprovenPassword}
        </p>
      ),
    ],
    confirm: words.unprovenConfirm,
    other: { label: words.back, act: back },
    isSevere: !isSame,
    submit: confirm,
  };
}

/** Offers to use the passkeys that are asleep, which then open the wallet again; ends with `done`. */
async function offerPasskeys(stage: Stage, done: () => void): Promise<void> {
  const { owner, words } = stage;
  const asleep = hasPasskeys() ? (await owner.passkeys()).filter((passkey) => own(passkey).asleep) : [];
  if (asleep.length === 0) return done();
  const group = createRef<HTMLElement>();
  stage.show({
    title: words.keepPasskeysTitle,
    lead: words.keepPasskeysLead,
    subject: [
      <div class="choices" role="radiogroup" aria-label={words.keepPasskeysTitle} ref={group}>
        {asleep.map(({ id, name }, index) => (
          <label class="choice">
            <input type="radio" name="passkey" value={id} defaultChecked={index === 0} />
            <bdi class="name">{name}</bdi>
          </label>
        ))}
      </div>,
    ],
    confirm: words.keepPasskey,
    other: { label: words.later, act: done },
    async submit() {
      const chosen = group.current?.querySelector<HTMLInputElement>('input:checked')?.value;
      const { id, name } = asleep.find((passkey) => passkey.id === chosen) ?? asleep[0]!;
      await owner.wakePasskey(id).catch((error: unknown) => {
        throw codeOf(error) === errorCode.userRejected
          ? new Problem(fill(words.passkeyNotKept, { name }))
          : error;
      });
      await offerPasskeys(stage, done);
    },
  });
}
