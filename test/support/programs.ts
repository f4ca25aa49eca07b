import { canInstall, inPath, installPackages, isThere } from './debian.js';

/** Servers that tests start, and the Debian package that has each. A variable may name another program instead. */
const programs = {
  redis: {
    variable: 'GRAFT_REDIS',
    names: ['redis-server', 'valkey-server'],
    package: 'redis-server',
  },
  nginx: {
    variable: 'GRAFT_NGINX',
    names: ['nginx'],
    package: 'nginx-light',
  },
} as const;

export type ServerName = keyof typeof programs;

/**
 * The path of a server's program, which is installed if need be. A test that needs it fails where it cannot be had: it is
 * never left out.
 *
 * @throws Error that says what was tried and what to do
 */
export async function findServer(name: ServerName): Promise<string> {
  const { variable, names, package: debian } = programs[name];
  const given = process.env[variable];
  if (given && (await isThere(given))) return given;
  if (given) throw new Error(`${variable} names ${given}, and there is no such file.`);
  const found = await inPath(names);
  if (found) return found;
  const failure = await install(debian).then(
    () => '',
    ({ message }) => ` Installing it has failed: ${message}`,
  );
  const installed = await inPath(names);
  if (installed) return installed;
  const message =
    `There is no ${names.join(' or ')} on this machine, so these tests fail. Install Debian's package ${debian}, ` +
    `or name the program: ${variable}=/path/to/${names[0]} npm run test:all.${failure}`;
  process.stderr.write(`${message}\n`);
  throw new Error(message);
}

async function install(debian: string): Promise<void> {
  if (!(await canInstall())) throw new Error('it needs root and apt-get.');
  process.stderr.write(`Tests: installing ${debian}, once\n`);
  // The run level keeps the package from starting a server of its own.
  await installPackages([debian], { RUNLEVEL: '1' });
}
