/** In the navigation and the settings: whether a webhook fails, or was disabled because it did. */
import { useSession } from '../session/session.ts';
import { useLoaded } from '../session/use-loaded.ts';

/** How often that is asked, while the page is visible. */
const everyMs = 60_000;

export function FailingMark() {
  const api = useSession().client.webhooks;
  const { value } = useLoaded((options) => api.list(options), [api], { everyMs });
  const isFailing = value?.some(
    ({ enabled, failingSince, disabledReason }) =>
      disabledReason !== undefined || (enabled && failingSince !== undefined),
  );
  if (isFailing !== true) return null;
  return (
    <span class="failing-mark" title="A webhook fails">
      <span class="for-readers">, a webhook fails</span>
    </span>
  );
}
