import { type Behaviour, failed, failure, shows } from '../behaviour.js';
import type { Rig } from '../rig.js';

/** The service, gone or unwilling. What a wallet has learned of it is forgotten with the page. */

const read = (rig: Rig) => rig.act((client) => client.balance(rig.accounts[0]));

export const outageBehaviours: readonly Behaviour[] = [
  failure('quota spent', async (rig, expected) => {
    await rig.connected();
    rig.home.controls.setQuota(0);
    const act = await read(rig);
    rig.home.controls.setQuota(null);
    await rig.reload();
    failed(act, expected);
    return shows(act);
  }),
  failure('service down', async (rig, expected) => {
    await rig.connected();
    const restore = rig.home.controls.intercept(() => 'drop');
    const act = await read(rig);
    restore();
    await rig.reload();
    failed(act, expected);
    return shows(act);
  }),
];
