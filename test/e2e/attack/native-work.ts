/** Operations of WebCrypto that are under way: they run on the platform's threads and take the machine's time. */
let underWay = 0;

const { prototype } = SubtleCrypto as unknown as { prototype: Record<string, unknown> };
for (const name of Object.keys(prototype)) {
  const native = prototype[name];
  if (typeof native !== 'function') continue;
  prototype[name] = async function (...args: unknown[]) {
    underWay += 1;
    try {
      return await native.apply(this, args);
    } finally {
      underWay -= 1;
    }
  };
}

export const isNativeWorkUnderWay = (): boolean => underWay > 0;
