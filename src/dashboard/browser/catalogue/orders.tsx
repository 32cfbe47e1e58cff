/** The list of orders. */
import { useState } from "preact/hooks";
import type { Order, OrderStatus } from "../../../client/client.ts";
import { notify } from "../announce.ts";
import { Button } from "../parts/buttons.tsx";
import { Choice } from "../parts/form.tsx";
import { Ago, amount } from "../parts/format.tsx";
import { Badge, Empty, ErrorMessage, Loadable, Skeleton, type Tone } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { Table } from "../parts/table.tsx";
import { useAction } from "../useApi.ts";
import { withClient } from "./client.ts";
import { CatalogueTabs, Paging, usePages } from "./paging.tsx";

type Filter = OrderStatus | "all";

const filters: Readonly<Record<Filter, string>> = {
  all: "All orders",
  placed: "Placed",
  approved: "Approved",
  delivered: "Delivered",
};

const tones: Readonly<Record<OrderStatus, Tone>> = {
  placed: "waiting",
  approved: "waiting",
  delivered: "fine",
};

export function Orders() {
  const [filter, setFilter] = useState<Filter>("all");
  const paged = usePages<Order>(`orders ${filter}`, (cursor) =>
    withClient((client) =>
      client.listOrders({
        ...(filter === "all" ? {} : { status: filter }),
        ...(cursor === undefined ? {} : { cursor }),
      }),
    ),
  );
  return (
    <Page title="Catalogue">
      <CatalogueTabs at="orders" />
      <p class="filters">
        <Choice aria-label="Status" value={filter} options={filters} onChoice={setFilter} />
      </p>
      <Loadable of={paged.page} skeleton={<Skeleton rows={6} />}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={filter === "all" ? "No order yet" : "No orders with this status"}>
              <p>
                Orders are placed for available pets. <a href="#/catalogue">See the pets</a>.
              </p>
            </Empty>
          ) : (
            <OrderTable orders={items} onMoved={paged.page.reload} />
          )
        }
      </Loadable>
      <Paging paged={paged} />
    </Page>
  );
}

function OrderTable({ orders, onMoved }: { orders: readonly Order[]; onMoved: () => void }) {
  const work = useAction();
  const [moving, setMoving] = useState<bigint>();
  const move = ({ id, status }: Order) =>
    work.run(async () => {
      setMoving(id);
      const moved = await withClient((client) =>
        status === "placed" ? client.approveOrder(id) : client.deliverOrder(id),
      );
      onMoved();
      notify(`Order ${moved.id} is ${moved.status}.`);
    });
  return (
    <>
      <ErrorMessage error={work.error} />
      <Table
        caption="Orders"
        heads={[
          { label: "Order", number: true },
          { label: "Pet", number: true },
          { label: "How many", number: true },
          { label: "Placed", wide: true },
          "Status",
          { hidden: "Next step" },
        ]}
      >
        {orders.map((order) => (
          <tr key={String(order.id)}>
            <th scope="row" class="number">
              {String(order.id)}
            </th>
            <td class="number">{String(order.petId)}</td>
            <td class="number">{amount(order.quantity)}</td>
            <td class="wide">
              <Ago at={order.placedAt} />
            </td>
            <td>
              <Badge tone={tones[order.status]}>{filters[order.status]}</Badge>
            </td>
            <td class="end">
              {order.status !== "delivered" && (
                <Button
                  busy={work.busy && moving === order.id}
                  label={`${order.status === "placed" ? "Approve" : "Deliver"} order ${order.id}`}
                  onClick={() => void move(order)}
                >
                  {order.status === "placed" ? "Approve" : "Deliver"}
                </Button>
              )}
            </td>
          </tr>
        ))}
      </Table>
    </>
  );
}
