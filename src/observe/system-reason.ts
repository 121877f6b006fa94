/** What the operating system refuses, in words for people. Which file or address it was is for the caller to say. */

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'this user may not',
  EADDRINUSE: 'the address is in use',
  EADDRNOTAVAIL: 'this machine has no such address',
  EISDIR: 'it is a folder',
  ENOENT: 'there is no such file or folder',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is no folder',
  EPERM: 'this user may not',
  EROFS: 'it can only be read there',
};

/** One sentence without a full stop; the error's own message where there are no words for its code. */
export function toSystemReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return ('code' in error && typeof error.code === 'string' ? reasons[error.code] : undefined) ?? error.message;
}
