/** Says that the service is not responding. */
import { useValue } from '../observable.ts';
import { connection, tryNow } from './connection.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';

export function AwayBanner() {
  const { isAway, isTrying } = useValue(connection);
  if (!isAway) return <div role="alert" />;
  return (
    <div class="away" role="alert">
      <Icon name="offline" />
      <p>
        <b>The service is not responding.</b> Your changes are safe. The page tries again every few seconds.
      </p>
      <Button isBusy={isTrying} onClick={() => void tryNow()}>
        Try now
      </Button>
    </div>
  );
}
