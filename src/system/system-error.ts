/** Errors of the operating system in plain words. The caller names the file or address. */

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EADDRINUSE: 'address already in use',
  EADDRNOTAVAIL: 'this machine has no such address',
  EISDIR: 'it is a folder',
  ENOENT: 'no such file or folder',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'not a directory',
  EPERM: 'permission denied',
  EROFS: 'read-only file system',
};

/**
 * Returns a sentence without a full stop: the error's own message if its code has no words here.
 */
export function toSystemReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return ('code' in error && typeof error.code === 'string' ? reasons[error.code] : undefined) ?? error.message;
}

/** @param code as in errno(3), such as `ENOENT`. */
export function isSystemError(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
