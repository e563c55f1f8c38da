import { AlertIcon } from '../icons.tsx';
import { MessageCard } from '../message-card.tsx';

export function NotFoundPage() {
  return (
    <MessageCard title="Page not found" icon={<AlertIcon />} primary={{ label: 'Home', to: 'home' }}>
      Check the address and try again.
    </MessageCard>
  );
}
