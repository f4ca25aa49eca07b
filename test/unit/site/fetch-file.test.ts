import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fetchFile } from '../../../src/site/fetch-file.js';
import { selfSigned } from '../../support/certificate.js';
import { freePort } from '../../support/redis.js';

/** Starts a server on this machine until the test ends. Returns `127.0.0.1` with its port. */
async function hostOf(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const html = () => createHttpServer((_, response) => response.end('<p>'));
/** A server that reads a request and then acts on the connection. */
const acting = (act: (socket: Socket) => void) =>
  createServer((socket) => socket.on('error', () => {}).once('data', () => act(socket)));

describe('a site that cannot be reached is reported in a sentence with its host and Node’s code', () => {
  test.each([
    [
      'nothing listens',
      'http',
      async () => `127.0.0.1:${await freePort()}`,
      'nothing listens at HOST: is the server running, at this port? (ECONNREFUSED)',
    ],
    [
      'HTTPS of a server without',
      'https',
      () => hostOf(html()),
      'HOST does not speak HTTPS at this port. (EPROTO)',
    ],
    [
      'another protocol',
      'http',
      () => hostOf(acting((socket) => socket.end('220 mail.example ESMTP\r\n'))),
      'HOST does not speak HTTP at this port. (HPE_INVALID_CONSTANT)',
    ],
    [
      'a connection that is closed at once',
      'http',
      () => hostOf(acting((socket) => socket.destroy())),
      'HOST closed the connection before its answer was complete: is it a web server? (ECONNRESET)',
    ],
    [
      'an answer that is cut off',
      'http',
      () =>
        hostOf(
          acting((socket) => {
            socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n<p>', () => socket.destroy());
          }),
        ),
      'HOST closed the connection before its answer was complete: is it a web server? (ECONNRESET)',
    ],
    [
      'a certificate that signs itself',
      'https',
      () => hostOf(createHttpsServer(selfSigned())),
      'browsers do not trust the certificate of HOST: get one of a known authority, and send its whole chain. (DEPTH_ZERO_SELF_SIGNED_CERT)',
    ],
  ])('%s', async (_, protocol, start, sentence) => {
    const host = await start();
    await expect(fetchFile(new URL(`${protocol}://${host}/`))).rejects.toThrow(
      new Error(sentence.replace('HOST', host)),
    );
  });

  test('a server that answers is read', async () => {
    const url = new URL(`http://${await hostOf(html())}/`);
    expect(await fetchFile(url)).toMatchObject({ url, status: 200, body: '<p>' });
  });
});
