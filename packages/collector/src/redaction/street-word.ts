/** Words of addresses that are written in lower case. */
export const STREET_WORD: string =
  "rue|avenue|av|bd|boulevard|place|chemin|allées?|impasse|quai|cours|route|square|via|viale|piazza|corso|vicolo|largo|calle|c|avenida|avda|plaza|" +
  "paseo|carrer|camino|rua|praça|travessa|estrada|alameda|ul|ulica|ulicy|al|aleja|alei|os|osiedle|pl|plac|bis|ter|apt|apartment|flat|unit|suite|floor|appt|étage|etg|og|eg|" +
  "wohnung|piso|puerta|esc|izq|izda|dcha|andar|apto|bloco|scala|int|interno|piano|m|lok|mieszkania|lgh|tr|daire|kat|no|nr|nº|n|" +
  "résidence|résid|bat|lieu-dit|hameau|lotissement|salle|casa|edif[ií]cio|ed|torre|portal|escalera|urbanización|urb|galpão|capannone|quadra|qd|lt|setor|blok|bl|building|house|haus|hinterhaus|vorderhaus|hh|vh|whg|stock|våning|vån|ingång|uppgång|port|apartamento|apartman|colonia|col|carrera|cra|carretera|ctra|kilómetro|s/n|residence|residenza|palazzo|sitesi|mah|cad|sok|cd|sk|mieszkanie|piętro|klatka|bloc|rez|dg|achterhuis|bis|bajo|izquierda|derecha|esq|dto|frente|fundos|street|road|lane|box|sokak|caddesi|mahallesi|bâtiment|bât|room|chambre|zimmer|habitación|camera|quarto|kamer|pokój|rum|oda|lot|lote|nave|local|km|bus|nd|rd|th|st|er|e|cedex";
/** Words between the words of a street or a city. */
export const PARTICLE: string =
  "in|i|w|te|en|em|de|la|le|les|du|des|del|della|delle|dei|degli|di|da|do|dos|das|el|los|las|van|den|der|dem|het|am|an|im|in|auf|of|the|na|sur|sous|ob|bei|zum|zur|upon|près|św|y|à|à la|ve|'t|s-|'s-";
