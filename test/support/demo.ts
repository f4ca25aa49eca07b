import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, createServer, type PluginOption } from 'vite';

export interface Demo {
  /** `http://127.0.0.1:port`, without a slash at the end. */
  readonly url: string;
  stop(): Promise<void>;
}

interface HttpServer {
  address(): { readonly port: number };
}

const projectRoot = fileURLToPath(new URL('../..', import.meta.url));

export declare namespace startDemo {
  interface Options {
    /** Default: any free port. If this one is taken, the next free one. */
    readonly port?: number;
    /** Beside those of the demo. */
    readonly plugins?: PluginOption[];
  }
}

/** The demo as `npm start` serves it, its local service included, without watching files. */
export async function startDemo({ port = 0, plugins = [] }: startDemo.Options = {}): Promise<Demo> {
  const cacheDir = await mkdtemp(join(projectRoot, 'node_modules', '.vite-demo-'));
  const vite = await createServer({
    configFile: join(projectRoot, 'vite.config.ts'),
    root: join(projectRoot, 'demo'),
    mode: 'development',
    cacheDir,
    logLevel: 'error',
    plugins,
    server: { port, watch: { ignored: ['**'] } },
  });
  await vite.listen();
  return {
    url: `http://127.0.0.1:${(vite.httpServer as HttpServer).address().port}`,
    async stop() {
      await vite.close();
      await rm(cacheDir, { recursive: true, force: true });
    },
  };
}

/** The demo as `npm run build demo` makes it, in a folder. */
export async function buildDemo(folder: string): Promise<void> {
  await build({
    configFile: join(projectRoot, 'demo', 'vite.config.ts'),
    logLevel: 'error',
    build: { outDir: folder },
  });
}
