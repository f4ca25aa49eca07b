import { GlobalWindow } from 'happy-dom';
import { populateGlobal } from 'vitest/runtime';
import { announce, type Provider } from '../../../src/index.js';
import type { Library } from './client.js';
import { type OpenPlace, openHere } from './place.js';

/**
 * This process again, but with the globals of a page while the place is open: for libraries that find the
 * announced wallet (EIP-6963) and remember in `localStorage`.
 */
export const openInDom: OpenPlace = async (setting) => {
  const leave = enterDom();
  try {
    const announced = createAnnounced(setting.library);
    const place = await openHere({ ...setting, library: announced.library });
    return {
      ...place,
      async close() {
        await place.close();
        announced.end();
        leave();
      },
    };
  } catch (error) {
    leave();
    throw error;
  }
};

function enterDom(): () => void {
  const window = new GlobalWindow({ url: 'https://dapp.example' });
  const { keys, originals } = populateGlobal(globalThis, window, { bindFunctions: true });
  return () => {
    for (const key of keys) Reflect.deleteProperty(globalThis, key);
    for (const [key, value] of originals)
      Object.defineProperty(globalThis, key, { value, configurable: true, writable: true });
  };
}

/**
 * Announced once, though a place that is opened again has another wallet: web3-onboard keeps the announcements
 * that it heard for as long as its module lives, which in a page is until the reload.
 */
function createAnnounced({ create, explain }: Library) {
  let present: object = {};
  const provider = new Proxy({}, { get: (_, key) => Reflect.get(present, key) }) as Provider;
  const end = announce(provider);
  return {
    end,
    library: {
      explain,
      create(surroundings) {
        present = surroundings.provider as object;
        return create({ ...surroundings, provider });
      },
    } satisfies Library,
  };
}
