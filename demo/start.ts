/** Starts the wallet where the page's address says that it lives. A build of the demo has it in the page. */
import { currentPlace, showPlaces } from './places.js';

if (import.meta.env.DEV) showPlaces();
if (import.meta.env.DEV && currentPlace() === 'own-site') void import('./bridge/index.js');
else void import('./wallet/index.js');
