export function CatalogueTabs({ at }: { at: "pets" | "orders" }) {
  return (
    <nav class="tabs" aria-label="Catalogue">
      <a href="#/catalogue" aria-current={at === "pets" ? "page" : undefined}>
        Pets
      </a>
      <a href="#/catalogue/orders" aria-current={at === "orders" ? "page" : undefined}>
        Orders
      </a>
    </nav>
  );
}
