import { useProductName, useProject } from './context.ts';

/** The logo of the project, or else the name of the product. */
export function Brand() {
  const product = useProductName();
  const { logoUrl, darkLogoUrl } = useProject().value?.config.branding ?? {};
  const show = (url: string, mode?: 'light' | 'dark') => (
    <img className="gbh-logo" data-mode={mode} src={url} alt={product} />
  );
  if (!logoUrl) return <span className="gbh-brand">{product}</span>;
  if (!darkLogoUrl) return show(logoUrl);
  return (
    <>
      {show(logoUrl, 'light')}
      {show(darkLogoUrl, 'dark')}
    </>
  );
}
