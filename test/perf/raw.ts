/** JSON-RPC over `fetch`, without a library. */
export function rawCaller(url: string): (method: string, params: readonly unknown[]) => Promise<unknown> {
  let id = 0;
  return async (method, params) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params }),
    });
    return ((await response.json()) as { result: unknown }).result;
  };
}
