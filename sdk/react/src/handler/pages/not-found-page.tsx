import { AlertIcon } from '../icons.tsx';
import { MessageCard } from '../message-card.tsx';

export function NotFoundPage() {
  return (
    <MessageCard title="There is no such page" icon={<AlertIcon />} primary={{ label: 'Home', to: 'home' }}>
      The address may have been mistyped.
    </MessageCard>
  );
}
