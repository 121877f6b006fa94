/** Runs the port's suite on the SQLite adapter. What is SQLite's own is in the files beside this one. */
import { describePlants } from './behaviour-plants.ts';
import { describeStore } from './behaviour.ts';
import { openTemporaryStore, openWaitingStore } from './open-temporary-store.ts';

describeStore('SQLite', openTemporaryStore);
describePlants('SQLite', openTemporaryStore);
// As in a large store: entries of the indexes wait, and are merged a few at a time, from the first plant on or from the fourth.
describePlants('SQLite whose indexes wait', openWaitingStore({ waitFrom: 0, waitingMax: 4 }));
describePlants('SQLite whose indexes begin to wait', openWaitingStore({ waitFrom: 3, waitingMax: 16 }));
