/** Runs the port's suite on the SQLite adapter. What is SQLite's own is in the files beside this one. */
import { describePlants } from './behaviour-plants.ts';
import { describeStore } from './behaviour.ts';
import { openTemporaryStore } from './open-temporary-store.ts';

describeStore('SQLite', openTemporaryStore);
describePlants('SQLite', openTemporaryStore);
