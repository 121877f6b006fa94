/**
 * Shows in the list what changes while it is open. What this page wrote is shown at once; what others changed, at once where no visible row
 * moves, otherwise when the person asks for it. Does not render anything.
 */
import type { PlantFilter, StoredPlant } from '../../../src/client/client.ts';
import { type Announcement, isSamePlant, lastChangesOf, type PlantAnnouncement } from '../copy/changes.ts';
import { matches, matchesTag } from '../copy/filter.ts';
import type { PlantWindow } from './plant-window.ts';

/** How long a changed row is highlighted, in milliseconds; as the animation in plants.css. */
const flashMs = 1_600;
/** With more, the list is loaded again instead. */
const waitingMax = 500;

type RowChange = Exclude<Announcement, { readonly kind: 'many' }>;

export class LiveRows {
  readonly #plants: PlantWindow;
  readonly #filter: PlantFilter;
  readonly #onChange: () => void;
  /** Plants that enter the list; undefined: that leave it. */
  readonly #waiting = new Map<bigint, StoredPlant | undefined>();
  readonly #gone = new Set<bigint>();
  readonly #flashing = new Set<bigint>();
  /** Arrived while rows were being read, in this order. */
  #late: RowChange[] = [];
  #isFlooded = false;

  constructor(plants: PlantWindow, filter: PlantFilter, onChange: () => void) {
    this.#plants = plants;
    this.#filter = filter;
    this.#onChange = onChange;
  }

  /** Plants that wait; `many`: too many to count. */
  get waiting(): number | 'many' {
    return this.#isFlooded ? 'many' : this.#waiting.size;
  }

  isGone(id: bigint): boolean {
    return this.#gone.has(id);
  }

  isFlashing(id: bigint): boolean {
    return this.#flashing.has(id);
  }

  take(change: RowChange): void {
    if (this.#plants.isLoading) this.#late.push(change);
    this.#take(change);
  }

  /** Call when rows were read: they may be older than what arrived meanwhile. */
  takeLate(): void {
    if (this.#plants.isLoading) return;
    const late = this.#late;
    this.#late = [];
    for (const change of late) this.#take(change);
  }

  /** Lets the plants that wait enter and leave. */
  apply(): void {
    for (const [id, plant] of this.#waiting) {
      if (plant === undefined) this.#plants.remove(id);
      else this.#insert(plant);
    }
    this.#waiting.clear();
    this.#gone.clear();
    this.#onChange();
  }

  /** Call when all rows are read again. */
  clear(): void {
    this.#waiting.clear();
    this.#gone.clear();
    this.#late = [];
    this.#isFlooded = false;
  }

  #take(change: RowChange): void {
    if (change.kind !== 'logged') {
      this.#showOwn(change);
      return;
    }
    let hasOthers = false;
    for (const { id, plant, isOwn } of lastChangesOf(change.changes)) {
      if (isOwn) this.#showOwn(plant === undefined ? { kind: 'deleted', id } : { kind: 'stored', plant, isNew: false });
      else this.#show(id, plant);
      hasOthers ||= !isOwn;
    }
    if (hasOthers && (change.isFlood || this.#waiting.size > waitingMax)) this.#isFlooded = true;
    if (hasOthers) this.#onChange();
  }

  /** What this page has learned replaces what was known of the plant. */
  #showOwn(change: PlantAnnouncement): void {
    const id = change.kind === 'deleted' ? change.id : change.plant.id;
    this.#waiting.delete(id);
    this.#gone.delete(id);
    this.#flashing.delete(id);
    if (change.kind === 'deleted' || !matchesTag(change.plant, this.#filter)) this.#plants.remove(id);
    else if (change.kind === 'stored' && matches(change.plant, this.#filter)) this.#plants.insert(change.plant);
    else this.#plants.replace(change.plant);
  }

  #show(id: bigint, plant: StoredPlant | undefined): void {
    const number = this.#plants.numberOf(id);
    this.#waiting.delete(id);
    const wasGone = this.#gone.delete(id);
    if (number === undefined) {
      const place = plant !== undefined && matches(plant, this.#filter) ? this.#plants.placeOf(plant) : undefined;
      if (plant === undefined || place === undefined) return;
      if (this.#plants.isBelowVisible(place)) this.#insert(plant);
      else this.#waiting.set(id, plant);
      return;
    }
    if (plant === undefined) this.#gone.add(id);
    else if (wasGone || !isSamePlant(plant, this.#plants.row(number))) {
      this.#plants.replace(plant);
      this.#flash(id);
    }
    if (plant === undefined || !matches(plant, this.#filter)) this.#waiting.set(id, undefined);
  }

  #insert(plant: StoredPlant): void {
    this.#plants.insert(plant);
    this.#flash(plant.id);
  }

  #flash(id: bigint): void {
    this.#flashing.add(id);
    setTimeout(() => {
      this.#flashing.delete(id);
      this.#onChange();
    }, flashMs);
  }
}
