/** A secret that the service shows only once, until somebody has put it away. */
import { Button } from './button.tsx';
import { Command } from './command.tsx';
import { Icon } from './icons.tsx';

interface Props {
  readonly text: string;
  /** Where it belongs, such as "Copy the secret to your receiver now." */
  readonly advice: string;
  /** Completes "Copy ...". */
  readonly what: string;
  readonly onDone: () => void;
}

export function ShownOnce({ text, advice, what, onDone }: Props) {
  return (
    <div class="shown-once" role="status">
      <p>
        <Icon name="key" /> {advice} It is shown only once.
      </p>
      <Command text={text} what={what} />
      <Button onClick={onDone}>Done</Button>
    </div>
  );
}
