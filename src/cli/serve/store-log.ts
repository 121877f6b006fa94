/** Logs when the store begins and ceases to refuse writes or reads. */
import { StateLine } from '../../observe/state-line.ts';
import type { Log } from '../../observe/log.ts';
import type { StoreObserver, StoreRefusal } from '../../store/store-observer.ts';

/** Some requests are refused now and then; for this long, in milliseconds, is worth a line. */
const busyMsMin = 10_000;

export interface StoreLogOptions {
  /** Whether it says that the store cannot be used; a database reports that itself. */
  readonly reportsAbsence: boolean;
}

/** A store that has failed for good is reported by the end of the service. */
export function toStoreObserver(log: Log, { reportsAbsence }: StoreLogOptions): StoreObserver {
  const now = (): number => performance.now();
  const full = new StateLine(log, now, {
    began: 'Writes are refused: the disk is full. Reads still work',
    ended: 'Writes are stored again: the disk has space',
  });
  const busy = new StateLine(log, now, {
    began: 'Writes have been refused for 10 seconds or longer: the store is busy',
    ended: 'No write was refused for 10 seconds: the store is not busy any more',
    lastsMsMin: busyMsMin,
    quietMs: busyMsMin,
  });
  const logFull = new StateLine(log, now, {
    began: 'Writes are refused: the write-ahead log is full',
    ended: 'Writes are stored again: the write-ahead log has space',
  });
  let isLogFull = false;
  const absent = new StateLine(log, now, {
    began: 'Writes are refused: the database cannot be used at the moment',
    ended: 'Writes are stored again: the database can be used',
  });
  const unreadable = new StateLine(log, now, {
    began: 'Reads are refused: the database cannot be read at the moment',
    ended: 'The database can be read again',
  });
  const refuse = (refusal: StoreRefusal, times: number): void => {
    if (refusal.code === 'store_full') full.note({ ...refusal }, times);
    else if (refusal.code === 'store_busy') (isLogFull ? logFull : busy).note({ ...refusal }, times);
    else if (refusal.code === 'store_unavailable' && reportsAbsence) absent.note({ ...refusal }, times);
  };
  return {
    onCommit: ({ failure, writes }) => {
      if (failure === undefined) {
        isLogFull = false;
        for (const each of [full, logFull, busy, absent]) each.end();
      } else refuse({ code: failure.code, reason: toReason(failure.cause) }, writes);
    },
    onRefused: (refusal) => refuse(refusal, 1),
    onLogFull: () => (isLogFull = true),
    onRead: (refusal) => (refusal === undefined ? unreadable.end() : unreadable.note({ ...refusal })),
  };
}

function toReason(cause: unknown): string | undefined {
  return cause instanceof Error ? cause.message : undefined;
}
