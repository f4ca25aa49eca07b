import { readdirSync } from 'node:fs';

/**
 * The paths of the files in a folder, at any depth, whose names have this ending (default: all), except those that are built or
 * installed.
 */
export function filesIn(folder: string, ending = ''): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return /^(dist|node_modules)$/.test(entry.name) ? [] : filesIn(path, ending);
    return entry.name.endsWith(ending) ? [path] : [];
  });
}

/** The TypeScript sources in a folder, views included. */
export const sourcesIn = (folder: string): string[] => [
  ...filesIn(folder, '.ts'),
  ...filesIn(folder, '.tsx'),
];
