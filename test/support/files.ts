import { readdirSync } from 'node:fs';

/** The paths of the files in a folder, at any depth, whose names have this ending. Default: all. */
export function filesIn(folder: string, ending = ''): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return filesIn(path, ending);
    return entry.name.endsWith(ending) ? [path] : [];
  });
}

/** The TypeScript sources in a folder, views included. */
export const sourcesIn = (folder: string): string[] => [
  ...filesIn(folder, '.ts'),
  ...filesIn(folder, '.tsx'),
];
