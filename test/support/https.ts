import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { createServer } from 'node:tls';

/** A certificate for `localhost` and the hosts of the tests, and its key, which is no secret. */
const pem = readFileSync(new URL('localhost.pem', import.meta.url));

/** Serves over https, on another port of this machine, what answers over http on `port`. */
export async function startHttps(port: number): Promise<{ readonly port: number; stop(): void }> {
  const sockets = new Set<Socket>();
  const server = createServer({ key: pem, cert: pem }, (socket) => {
    const plain = connect(port, '127.0.0.1');
    for (const [each, other] of [
      [socket, plain],
      [plain, socket],
    ] as const) {
      sockets.add(each);
      each.on('error', () => other.destroy());
      each.on('close', () => sockets.delete(each) && other.destroy());
      each.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
