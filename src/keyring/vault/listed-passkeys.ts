import type { Passkey } from '../credential.js';
import { type PasskeyIdentity, type PasskeyWrap, passkeyWraps, type VaultRecord } from './record.js';
import { isRecoveryWrap } from './wraps.js';

/** The passkeys of a record as their owner sees them: those that open it, then those that are asleep. */
export const passkeysIn = (record: VaultRecord): readonly Passkey[] => [
  ...passkeyWraps(record).map(passkeyOf),
  ...asleepIn(record).map(sleepingOf),
];

export const passkeyOf = ({ id, name, createdAt }: PasskeyWrap): Passkey => ({
  ...{ id, name, createdAt },
  restores: isRecoveryWrap({ id }) || undefined,
});

export const asleepIn = ({ asleep = [] }: VaultRecord): readonly PasskeyIdentity[] => asleep;

const sleepingOf = ({ credentialId, name, createdAt }: PasskeyIdentity): Passkey => ({
  ...{ id: credentialId, name, createdAt },
  asleep: true,
});
