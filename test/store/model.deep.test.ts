/** The long comparison of a data folder with the model. */
import { describePlantModel } from './behaviour-plants.ts';
import { openTemporaryStore } from './open-temporary-store.ts';

describePlantModel('SQLite', openTemporaryStore, 60);
