import { useTexts } from '../texts/use-texts.ts';

/** Marks the sign-in method that was last used in this browser. */
export function LastUsed() {
  const { t } = useTexts();
  return <small className="gbh-last-used">{t('Last used')}</small>;
}
