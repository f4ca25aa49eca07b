import { readConfiguration, requireServedAt, type SiteConfiguration } from '../../src/site/configuration.js';

/**
 * Reads `wallet.json` from this origin and starts a document of the wallet with it. Where it is wrong, the document says what
 * is, and the error is left to the console.
 */
export async function startWith(begin: (configuration: SiteConfiguration) => void): Promise<void> {
  try {
    const response = await fetch('/wallet.json');
    if (!response.ok) throw new Error(`wallet.json: the server answers ${response.status}`);
    const configuration = requireServedAt(readConfiguration(await response.text()), location.origin);
    document.title = configuration.name;
    begin(configuration);
  } catch (error) {
    showProblem('This wallet is not set up correctly', (error as Error).message);
    throw error;
  }
}

/** Shows a text in place of the document. */
export function showProblem(heading: string, text: string): void {
  const title = document.createElement('h1');
  const paragraph = document.createElement('p');
  const problem = document.createElement('main');
  title.textContent = heading;
  paragraph.textContent = text;
  problem.className = 'problem';
  problem.append(title, paragraph);
  document.body.replaceChildren(problem);
}
