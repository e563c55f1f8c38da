import { useTexts } from '../../texts/use-texts.ts';
import { AlertIcon } from '../icons.tsx';
import { MessageCard } from '../message-card.tsx';

export function NotFoundPage() {
  const { t } = useTexts();
  return (
    <MessageCard title={t('Page not found')} icon={<AlertIcon />} primary={{ label: t('Home'), to: 'home' }}>
      {t('Check the address and try again.')}
    </MessageCard>
  );
}
