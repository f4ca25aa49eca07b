import { createHash } from 'node:crypto';
import { brotliCompressSync } from 'node:zlib';

const sizes = new Map<string, number>();

/** Bytes after brotli at its highest quality. Files that several pages load are compressed once: it takes a second for 500 kB. */
export function brotliSize(body: string | Uint8Array): number {
  const key = createHash('sha256').update(body).digest('hex');
  const size = sizes.get(key) ?? brotliCompressSync(body).length;
  sizes.set(key, size);
  return size;
}
