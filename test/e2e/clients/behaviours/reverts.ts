import { expect } from 'vitest';
import { type Behaviour, failed, failure, shows, succeeded } from '../behaviour.js';
import type { Failing } from '../client.js';
import { ways } from '../contracts.js';

/** A contract that fails, in four ways, where a dapp meets it: in a call, in an estimate, in a transaction. */

const onCall = (way: Failing): Behaviour =>
  failure(`call that reverts: ${way}`, async (rig, expected) => {
    await rig.connected();
    const act = await rig.act((client) => client.callFailing(rig.contract, way));
    failed(act, expected);
    return shows(act);
  });

const onEstimate = (way: Failing): Behaviour =>
  failure(`estimate that reverts: ${way}`, async (rig, expected) => {
    await rig.connected();
    const act = await rig.act((client) => client.estimateFailing(rig.contract, way));
    if (expected === 'succeeds') expect(Number(succeeded(act))).toBeGreaterThan(21_000);
    else failed(act, expected);
    return shows(act);
  });

/** Either nobody was asked, or a person agreed once to what is then mined and reverts. */
const onSend = (way: Failing): Behaviour =>
  failure(`send that reverts: ${way}`, async (rig, expected) => {
    await rig.connected();
    const act = await rig.act((client) => client.sendFailing(rig.contract, way));
    if (expected !== 'succeeds') failed(act, expected);
    else {
      const hash = succeeded(act, ['transaction']);
      expect(succeeded(await rig.act((client) => client.wait(hash)))).toBe('reverted');
    }
    return shows(act);
  });

export const revertBehaviours: readonly Behaviour[] = [onCall, onEstimate, onSend].flatMap((each) =>
  ways.map(each),
);
