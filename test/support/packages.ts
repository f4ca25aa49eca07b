import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

export const projectRoot = fileURLToPath(new URL('../..', import.meta.url));

/** A package of this repository, which npm publishes. */
export interface OwnPackage {
  readonly name: string;
  /** Relative to the project's root: `.` or `packages/relay`. */
  readonly folder: string;
  readonly manifest: Manifest;
  readonly entries: readonly PackageEntry[];
}

/** The members of a package.json that tests read. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | Target>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** The files of an entry, relative to the package's folder. */
interface Target {
  readonly types: string;
  readonly default?: string;
  readonly node?: string;
}

/** One entry of `exports`. */
export interface PackageEntry {
  /** As it is imported: `graft-kit/local`. */
  readonly specifier: string;
  /** Its file in the package: `./dist/local/index.js`. */
  readonly file: string;
  /** The declarations of that file. */
  readonly types: string;
  /** Its file in the repository: `packages/kit/src/local/index.ts`. */
  readonly source: string;
  /** Whether a page may import it, too. */
  readonly inPages: boolean;
}

/** The packages, the wallet first. */
export const packages: readonly OwnPackage[] = ['.', 'packages/kit', 'packages/relay'].map((folder) => {
  const text = readFileSync(join(projectRoot, folder, 'package.json'), 'utf8');
  const manifest = JSON.parse(text) as Manifest;
  const entries = Object.entries(manifest.exports).flatMap(([path, target]): PackageEntry[] => {
    if (typeof target === 'string') return [];
    const file = target.default ?? (target.node as string);
    const source = posix.join(folder, file.replace('./dist/', 'src/').replace(/\.js$/, '.ts'));
    const { types, default: inPages } = target;
    const specifier = posix.join(manifest.name, path);
    return [{ specifier, file, types, source, inPages: inPages !== undefined }];
  });
  return { name: manifest.name, folder, manifest, entries };
});

/** Every entry of every package. */
export const packageEntries: readonly PackageEntry[] = packages.flatMap(({ entries }) => entries);
