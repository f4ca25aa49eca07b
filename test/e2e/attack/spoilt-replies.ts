import { inspect } from 'node:util';
import { headless } from '../../../packages/kit/src/testing/index.js';
import { createMemoryStorage, createWallet } from '../../../src/index.js';
import { origin } from '../../support/keys.js';
import { plantedKey } from '../../support/scripted-service.js';
import { showsSecret, wrongRejection } from './faults.js';
import type { Random } from './random.js';
import { play, type Recording, sessionOf } from './recorded.js';
import { type Spoilt, spoilReply } from './replies.js';
import { wrongType } from './result-types.js';
import type { Twin } from './twin.js';
import type { VirtualTime } from './virtual-time.js';

/** Milliseconds. One question to the service has ten seconds; some requests ask several, one after the other. */
const deadline = 60_000;

/** A page asks what is good, and one of the service's replies on the way is spoilt. Says what goes wrong. */
export function createSpoiltReplies(recordings: readonly Recording[], twin: Twin, time: VirtualTime) {
  let hosts = 0;

  return async (random: Random): Promise<string | null> => {
    const recording = random.pick(recordings);
    const scenario = random.pick(recording.scenarios);
    const target = random.pick(recording.asks.get(scenario) as readonly string[]);
    // Each attempt its own, all alike, or the first alone.
    const manner = random.pick(['each', 'alike', 'first'] as const);
    const said: Spoilt[] = [];
    const events: unknown[] = [];
    const host = `service${++hosts}.example`;
    const secrets = [plantedKey, host];
    const leave = twin.host(host, ({ method, params }) => {
      const body = recording.replyTo(method, params);
      if (method !== target || (manner === 'first' && said.length > 0))
        return { body, status: 200, headers: {} };
      const [first] = said;
      const spoilt = manner === 'alike' && first ? first : spoilReply(body, random, plantedKey);
      said.push(spoilt);
      return spoilt;
    });
    // A wallet of its own: what one reply teaches it must not spare the next.
    const wallet = createWallet({
      networks: [{ chainId: 33, url: `https://${host}/v2/${plantedKey}` }],
      origin,
      memory: sessionOf(),
      storage: createMemoryStorage(),
      approver: () => headless({ answer: () => false }),
      pollingInterval: 1_000,
    });
    for (const event of ['connect', 'disconnect', 'chainChanged', 'accountsChanged', 'message'])
      wallet.provider.on(event, (payload) => events.push(payload));
    const began = time.now();
    const ended = await play(wallet.provider, scenario);
    const took = time.now() - began;
    wallet.destroy();
    leave();

    const faults = ended.map(({ method, result, error }) =>
      error === undefined
        ? (wrongType(method, result) ?? showsSecret(result, secrets))
        : wrongRejection(error, secrets),
    );
    const fault =
      faults.find((each) => each !== null) ??
      showsSecret(events, secrets) ??
      (took > deadline ? `it takes ${Math.round(took)} ms` : null);
    return (
      fault && `${recording.dialect}, ${scenario.name}: ${target} says ${inspect(said.slice(0, 3))}: ${fault}`
    );
  };
}
