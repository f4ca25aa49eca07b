import type { Kind } from './kind.js';

/** Kinds of servers between browsers and a node, such as `graft-relay`. */
export const relays: readonly Kind[] = [
  {
    id: 'ids-of-clients',
    reported:
      'A server returns the id of a request as another number or in another type, and the client never finds its reply.',
    graft: 'The relay returns an id as it was written, numbers of any size and form included.',
    threads: {
      'https://github.com/rsksmart/rskj/issues/169':
        "Large JSONRPC 'id' field gets converted to negative integer",
      'https://github.com/erpc/erpc/pull/851': 'fix: preserve verbatim request id bytes through response',
      'https://github.com/erpc/erpc/pull/1092': 'fix(common/json_rpc): reject lossy numeric request ids',
      'https://github.com/iris-connect/eps/issues/2': 'ID must be a string or the JSON RPC call fails',
    },
    tests: [
      { file: 'packages/relay/test/request-ids.test.ts', title: 'a request with the id %s gets it back' },
      {
        file: 'packages/relay/test/request-ids.test.ts',
        title: 'requests of a batch get their own ids back, equal ones too',
      },
    ],
  },
  {
    id: 'notifications',
    reported:
      'A request without an id gets a reply, and clients that keep a connection alive with notifications close it.',
    graft:
      'The relay replies to no notification: over HTTP with 204 and no body, over a WebSocket with nothing.',
    threads: {
      'https://github.com/drpcorg/nodecore/pull/267': 'Fix JSON-RPC notification responses',
      'https://github.com/lestrrat-p5/JSON-RPC/issues/6':
        'JSON::RPC::Dispatch must not respond to notifications.',
      'https://github.com/zircote/subcog/pull/47': 'fix(mcp): JSON-RPC 2.0 notification compliance',
    },
    tests: [
      {
        file: 'packages/relay/test/request-ids.test.ts',
        title: 'notifications get no reply, and change nothing for the requests beside them',
      },
    ],
  },
  {
    id: 'streams-through-proxies',
    reported: 'A proxy compresses or buffers server-sent events, and they arrive late or never.',
    graft: 'The relay sends its streams with `Cache-Control: no-store, no-transform`.',
    threads: {
      'https://github.com/dpskvn/express-sse/pull/31': 'Added "no-transform" to "Cache-Control" header',
      'https://github.com/mpetrunic/fastify-sse-v2/pull/8': 'Added "no-transform" to Cache-Control header',
      'https://github.com/Mng-dev-ai/agentrove/pull/869':
        "fix: mark SSE feeds no-transform so proxy compression can't stall them",
      'https://github.com/theopenconversationkit/tock/issues/1895':
        '[Web Connector] SSE breaks when behind a buffering proxy',
    },
    tests: [
      {
        file: 'packages/relay/test/handler.streams.test.ts',
        title: 'a stream of events may not be transformed by a proxy',
      },
    ],
  },
  {
    id: 'translated-addresses',
    reported:
      'IPv6 clients are limited by their /64, so all clients whose IPv4 addresses are translated or mapped share one limit.',
    graft: 'The relay counts such a client by the IPv4 address in its IPv6 address.',
    threads: {
      'https://github.com/Flowfin/jellyfin-plugin-sso/issues/194':
        'Rate limiter: key NAT64/transition IPv6 sources on the embedded IPv4, not the shared /64',
      'https://github.com/Flowfin/jellyfin-plugin-sso/pull/317':
        'Key IPv4-in-IPv6 transition rate-limit sources on the embedded IPv4',
      'https://github.com/Yeraze/meshmonitor/pull/2001':
        'fix: rate limiter IPv4-mapped IPv6 subnet masking bug',
    },
    tests: [
      {
        file: 'packages/relay/test/access/client-address.test.ts',
        title: 'addresses behind one translator are distinguished by the IPv4 address in them',
      },
    ],
  },
  {
    id: 'health-of-followers',
    reported: 'An instance that works is reported as unhealthy because another one is the leader.',
    graft:
      'An instance without listeners is healthy, and one beside the leader as long as the leader’s polls succeed; `degraded` says that it has lost the others.',
    threads: {
      'https://github.com/gravitational/gravity/issues/1334':
        'gravity-site has readiness probe failed if it not leader and produces thousands of events',
      'https://github.com/apache/fluss/pull/4115':
        '[helm] First-class coordinator HA: standby-aware readiness gate',
    },
    tests: [
      {
        file: 'packages/relay/test/relay.test.ts',
        title: 'health is ok without clients, and with clients as long as polls succeed',
      },
      {
        file: 'packages/relay/test/relay.health.test.ts',
        title: 'an instance beside a leader whose polls fail is unhealthy, whatever its own clients read',
      },
      {
        file: 'test/e2e/relay/redis-outage.servers.test.ts',
        title:
          'while the Redis is away each instance follows alone, and no client misses a block or gets one twice',
      },
    ],
  },
  {
    id: 'limits-of-connections',
    reported:
      'A connection above the limit is dropped without a reason, and silent ones keep their places until no client can connect.',
    graft:
      'One above the limit is closed with 4003, and one that sends nothing for 30 seconds with 1008, on Node and in a Durable Object.',
    threads: {
      'https://github.com/paritytech/jsonrpsee/issues/398':
        'Send HTTP 429 response if connection limit is reached',
      'https://github.com/XRPLF/rippled/issues/2887': 'Report to WebSocket clients connection refusal reason',
      'https://github.com/stablyai/orca/pull/1500':
        'fix(mobile): WS heartbeat to reap half-open mobile sockets',
      'https://github.com/equilibriumco/pathfinder/pull/3536':
        'feat(rpc): restrict the number of websocket connections and other improvements',
      'https://github.com/SeismicSystems/summit/issues/349':
        '[Security][tentative] Medium (attackable): RPC WebSocket Connections Can Exhaust Server Permits',
    },
    tests: [
      {
        file: 'test/e2e/relay/worker-limits.test.ts',
        title: 'a connection above the limit gets 4003 and is closed, and the others are served',
      },
      {
        file: 'packages/relay/test/chain-object.test.ts',
        title: 'a connection that sends nothing for 30 s is closed with 1008 by the alarm, after a sleep too',
      },
    ],
  },
];
