import { useProductName, useProject } from './context.ts';

/** The logo of the project, or else the name of the product. */
export function Brand() {
  const product = useProductName();
  const { logoUrl = null, darkLogoUrl = null } = useProject().value?.config.branding ?? {};
  if (logoUrl === null) return <span className="gbh-brand">{product}</span>;
  if (darkLogoUrl === null) return <img className="gbh-logo" src={logoUrl} alt={product} />;
  return (
    <>
      <img className="gbh-logo" data-mode="light" src={logoUrl} alt={product} />
      <img className="gbh-logo" data-mode="dark" src={darkLogoUrl} alt={product} />
    </>
  );
}
