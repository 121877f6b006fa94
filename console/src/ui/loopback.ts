/** Addresses that only the machine itself reaches. */
export function isLoopback(address: string): boolean {
  return /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0)$/.test(new URL(address).hostname);
}
