/**
 * A histogram of the durations of requests, in the text format of Prometheus. The library's makes
 * two keys of the labels for each value: a tenth of the CPU time of a short request.
 */
import { toKnownMethod } from './to-known-method.ts';

/** Bounds from the semantic conventions of OpenTelemetry for HTTP, in seconds. */
const bounds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, Infinity];
const name = 'http_server_request_duration_seconds';

interface Series {
  readonly labels: string;
  /** The number of durations up to each bound. */
  readonly counts: number[];
  sum: number;
}

export class RequestDurations {
  readonly #series = new Map<string, Series>();
  /** The series of single statuses by route, method and status: a lookup makes no text. */
  readonly #known = new Map<string, Map<string, Map<number, Series>>>();
  /**
   * Label sets with a route, and without one; a further one counts for its class, such as `4xx`.
   * Each has 17 series, and with all others there are less than 1,000.
   */
  readonly #left = { routed: 29, unrouted: 10 };

  observe(sentMethod: string, route: string | undefined, status: number, seconds: number): void {
    const method = toKnownMethod(sentMethod);
    const series =
      this.#known
        .get(route ?? '')
        ?.get(method)
        ?.get(status) ?? this.#add(method, route, status);
    let at = 0;
    while (seconds > (bounds[at] ?? Infinity)) at += 1;
    series.counts[at] = (series.counts[at] ?? 0) + 1;
    series.sum += seconds;
  }

  toText(): string {
    const lines = [`# HELP ${name} Duration of requests, without streams`, `# TYPE ${name} histogram`];
    for (const { labels, counts, sum } of this.#series.values()) {
      let count = 0;
      for (const [at, bound] of bounds.entries()) {
        count += counts[at] ?? 0;
        lines.push(`${name}_bucket{le="${bound === Infinity ? '+Inf' : bound}",${labels}} ${count}`);
      }
      lines.push(`${name}_sum{${labels}} ${sum}`, `${name}_count{${labels}} ${count}`);
    }
    return `${lines.join('\n')}\n`;
  }

  #add(method: string, route: string | undefined, status: number): Series {
    const kind = route === undefined ? 'unrouted' : 'routed';
    if (this.#left[kind] === 0) return this.#ofLabels(toLabels('_OTHER', `${Math.floor(status / 100)}xx`));
    this.#left[kind] -= 1;
    const series = this.#ofLabels(toLabels(method, String(status), route));
    const ofRoute = this.#known.get(route ?? '') ?? new Map<string, Map<number, Series>>();
    const ofMethod = ofRoute.get(method) ?? new Map<number, Series>();
    this.#known.set(route ?? '', ofRoute.set(method, ofMethod.set(status, series)));
    return series;
  }

  #ofLabels(labels: string): Series {
    const series = this.#series.get(labels) ?? { labels, counts: Array<number>(bounds.length).fill(0), sum: 0 };
    this.#series.set(labels, series);
    return series;
  }
}

function toLabels(method: string, code: string, route?: string): string {
  const labels = `http_request_method="${method}",http_response_status_code="${code}"`;
  return route === undefined ? labels : `${labels},http_route="${route}"`;
}
