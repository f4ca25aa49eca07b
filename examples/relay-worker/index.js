// One object of the class Chain follows each chain; the worker passes requests on to it.
export { Chain, worker as default } from 'graft-relay/worker';
