/** Shows in the list what others changed: at once where no visible row moves, otherwise when the person asks for it. Does not render anything. */
import type { StoredPlant } from '../../../src/client/client.ts';
import { isSamePlant, type LoggedChange } from './changes.ts';
import type { PlantWindow } from './plant-window.ts';

/** How long a changed row is highlighted, in milliseconds; as the animation in plants.css. */
const flashMs = 1_600;
/** With more, the list is loaded again instead. */
const waitingMax = 500;

export class LiveRows {
  readonly #plants: PlantWindow;
  readonly #isWanted: (plant: StoredPlant) => boolean;
  readonly #onChange: () => void;
  /** Plants that enter the list; undefined: that leave it. */
  readonly #waiting = new Map<bigint, StoredPlant | undefined>();
  readonly #gone = new Set<bigint>();
  readonly #flashing = new Set<bigint>();
  /** Arrived while rows were being read, which may be older. */
  #late: LoggedChange[] = [];
  #isFlooded = false;

  /** @param isWanted whether the filter of the list matches. */
  constructor(plants: PlantWindow, isWanted: (plant: StoredPlant) => boolean, onChange: () => void) {
    this.#plants = plants;
    this.#isWanted = isWanted;
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

  /** @param isFlood there were more changes than these. */
  take(changes: readonly LoggedChange[], isFlood: boolean): void {
    const others = changes.filter(({ isOwn }) => !isOwn);
    if (this.#plants.isLoading) this.#late.push(...others);
    // Only the last state of a plant matters.
    const last = new Map(others.map((change) => [change.id, change.plant]));
    for (const [id, plant] of last) this.#show(id, plant);
    if (others.length > 0 && (isFlood || this.#waiting.size > waitingMax)) this.#isFlooded = true;
    if (last.size > 0) this.#onChange();
  }

  /** Call when rows were read. */
  takeLate(): void {
    if (this.#late.length === 0 || this.#plants.isLoading) return;
    const late = this.#late;
    this.#late = [];
    this.take(late, false);
  }

  /** Call when this page itself wrote the plant. */
  forget(id: bigint): void {
    this.#late = this.#late.filter((change) => change.id !== id);
    this.#waiting.delete(id);
    this.#gone.delete(id);
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

  #show(id: bigint, plant: StoredPlant | undefined): void {
    const index = this.#plants.indexOf(id);
    this.#waiting.delete(id);
    const wasGone = this.#gone.delete(id);
    if (index < 0) {
      const place = plant !== undefined && this.#isWanted(plant) ? this.#plants.placeOf(id) : undefined;
      if (plant === undefined || place === undefined) return;
      if (this.#plants.isBelowVisible(place)) this.#insert(plant);
      else this.#waiting.set(id, plant);
      return;
    }
    if (plant === undefined) this.#gone.add(id);
    else if (wasGone || !isSamePlant(plant, this.#plants.row(index))) {
      this.#plants.replace(plant);
      this.#flash(id);
    }
    if (plant === undefined || !this.#isWanted(plant)) this.#waiting.set(id, undefined);
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
