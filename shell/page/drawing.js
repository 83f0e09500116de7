// The drawing of a graph in a browser: scopes open in place; pan, zoom, a small map, search.
//
// The program lays out each level of the graph (shell/explain/drawing.h). This script puts the levels
// that are open into each other: an open part makes its row and its column larger, and the others move
// but keep their order. shell/explain/scene.cc does the same for drawings without a script.
//
// A source gives the data:
//   data           {first: [keys of the parts to open at first], levels: {key: level}}; "" is the graph
//   level(key)     a promise of the level of a part, or of null
//   find(text)     a promise of {names, count}
//   path(name)     a promise of the keys of the parts around a node or scope, outermost first
const SCOPE=1,SEND=2,RECV=3,IN=4,OUT=5,TITLE=6;
const PAD=10,CORNER=5,ARROW=7,MARGIN=24;
const LEAST_SCALE=.05,MOST_SCALE=6,READABLE=.72,LARGE=1.15;
const MACHINE_HEAD=30,MACHINE_SIDE=10; // around the devices of a task, as in scene.cc
const LETTER=6.8; // the width of a letter of a value
const LEGEND=[['box d0','a node, in the colour of its device'],['box scope d0','a name scope: click to open it'],
  ['box fed d0','◆ a value that is fed'],['box fetch d0','★ a fetch or a target'],['box pruned','pruned: it does not run'],
  ['box new','added by the last command'],['box failed','it failed in the last command'],['line','a tensor; thicker for more bytes'],['line cut','between two devices'],
  ['line control','only the order, no value'],['line up','to the next iteration of a loop']];
const KEYS='drag or arrows: move · wheel, + −: zoom · f: fit · c: close all scopes · /: find, then Enter and Shift+Enter, or n and N · d: dark';

function element(tag,attributes,parent,text){
  const e=document.createElementNS('http://www.w3.org/2000/svg',tag);
  for(const name in attributes)e.setAttribute(name,attributes[name]);
  if(text!==undefined)e.textContent=text;
  if(parent)parent.append(e);
  return e;
}
function make(tag,attributes,parent,text){
  const e=document.createElement(tag);
  for(const name in attributes)e.setAttribute(name,attributes[name]);
  if(text!==undefined)e.textContent=text;
  if(parent)parent.append(e);
  return e;
}

// Returns "worker:1 cpu:0" for a device of a task, and "cpu:0" unchanged.
function shortDevice(device){
  const at=/^\/job:([^/]*)\/.*task:(\d+)\/(?:device:)?(.*)$/.exec(device);
  return at?at[1]+':'+at[2]+' '+at[3].toLowerCase():device;
}

// The source of a page that has no server: its data contain all levels.
function dataSource(data){
  const home=new Map(),scopes=new Map();
  for(const key in data.levels)
    for(const item of data.levels[key].items){
      if(item.name!==undefined)home.set(item.name,key);
      if(item.scope!==undefined&&!scopes.has(item.scope))scopes.set(item.scope,item.key);
    }
  const around=key=>{
    const keys=[];
    for(let at=key;at;at=data.levels[at].up)keys.unshift(at);
    return keys;
  };
  return {
    data,
    level:async key=>data.levels[key]||null,
    find:async text=>{
      const names=[...home.keys()].filter(name=>name.includes(text));
      return {names:names.slice(0,200),count:names.length};
    },
    path:async name=>{
      const key=[home.get(name),scopes.get(name),name].find(k=>k!==undefined&&data.levels[k]);
      return key===undefined?[]:around(key);
    },
    around:name=>home.has(name)?around(home.get(name)):[],
  };
}

// The positions of a level whose items have the sizes w and h.
function stretch(level,w,h){
  const items=level.items,from=[...new Set(items.flatMap(i=>[i.x,i.x+i.w]))].sort((a,b)=>a-b),to=[];
  const index=new Map(from.map((x,k)=>[x,k]));
  const ending=from.map(()=>[]);
  items.forEach((item,i)=>{if(item.w>0)ending[index.get(item.x+item.w)].push(i)});
  from.forEach((x,k)=>{
    let at=k?to[k-1]+x-from[k-1]:x;
    for(const i of ending[k])at=Math.max(at,to[index.get(items[i].x)]+w[i]);
    to.push(at);
  });
  const X=x=>{
    if(!from.length||x<=from[0])return x;
    const last=from.length-1;
    if(x>=from[last])return to[last]+x-from[last];
    let low=0,high=last;
    while(high-low>1){
      const middle=(low+high)>>1;
      if(from[middle]<=x)low=middle;else high=middle;
    }
    return to[low]+(x-from[low])/(from[high]-from[low])*(to[high]-to[low]);
  };
  const heights=level.layers.map(([begin,end])=>end-begin),layers=[];
  items.forEach((item,i)=>{heights[item.layer]=Math.max(heights[item.layer],h[i])});
  let y=0,before=0;
  level.layers.forEach(([begin,end],l)=>{
    y+=begin-before;
    before=end;
    layers.push([y,y+heights[l]]);
    y+=heights[l];
  });
  return {X,layers,width:X(level.width),height:y+level.height-before};
}

class GraphDrawing{
  // `options`: select(name) and edge(tensors) are called when a node or an edge is chosen, and rendered() after each change;
  // dead lists the tasks that do not answer, and failed is the node of the last error.
  constructor(host,source,options={}){
    this.source=source;
    this.options=options;
    this.levels=new Map();
    this.open=new Set();
    this.chosen='';
    this.marks={};
    this.large=1; // the size of the texts of the page
    this.found={names:[],count:0,at:-1};
    this.build(host);
    this.take(source.data);
  }

  build(host){
    try{
      const theme=localStorage.getItem('tensh-theme');
      if(theme)document.documentElement.dataset.theme=theme;
    }catch(e){/* a page of a file may have no storage */}
    host.textContent='';
    this.host=make('div',{class:'drawing-host',tabindex:0,role:'application','aria-label':'the graph'},host);
    this.svg=element('svg',{class:'drawing'},this.host);
    this.root=element('g',{},this.svg);
    this.map=element('svg',{class:'drawing small-map'},this.host);
    const bar=this.bar=make('div',{class:'drawing-bar'},this.host);
    this.search=make('input',{type:'search',placeholder:'find a node','aria-label':'find a node'},bar);
    this.matches=make('span',{class:'matches','aria-live':'polite'},bar);
    const button=(text,title,act)=>{make('button',{title,'aria-label':title},bar,text).onclick=act};
    button('−','smaller (-)',()=>this.zoom(1/1.3));
    button('+','larger (+)',()=>this.zoom(1.3));
    button('fit','all of the graph (f)',()=>this.fit(true));
    button('fold','close all scopes (c)',()=>this.fold());
    button('◐','light or dark (d)',()=>this.theme());
    button('?','what the shapes, lines and keys mean',()=>this.legend());
    this.search.onkeydown=e=>{
      if(e.key==='Enter')this.next(e.shiftKey?-1:1);
      if(e.key==='Escape'){this.search.value='';this.matches.textContent='';this.host.focus()}
      e.stopPropagation();
    };
    this.search.oninput=()=>{this.found={text:'',names:[],count:0,at:-1};this.matches.textContent=''};
    this.listen();
    new ResizeObserver(()=>this.resized()).observe(this.host);
  }

  legend(){
    const shown=this.host.querySelector('.legend');
    if(shown)return shown.remove();
    const box=make('div',{class:'legend'},this.host);
    for(const [look,text] of LEGEND){
      const svg=element('svg',{class:'drawing',viewBox:'0 0 34 18',width:34,height:18},box);
      const g=element('g',{class:look},svg);
      if(look.startsWith('line'))element('path',{class:look,d:'M2 9H32','stroke-width':2},g);
      if(look.includes('scope'))element('rect',{x:4,y:4,width:28,height:13,rx:3},g);
      if(!look.startsWith('line'))element('rect',{x:2,y:2,width:30,height:14,rx:look.includes('fed')?7:3},g);
      make('span',{},box,text);
    }
    make('p',{},box,KEYS);
  }

  // Shows other data. Parts that were open stay open if they still exist.
  async take(data){
    await null; // The caller has its drawing before it is ready.
    this.levels=new Map(Object.entries(data.levels));
    const keep=[...this.open];
    this.open=new Set(this.begun?[]:data.first);
    for(const key of keep)if(await this.load(key))this.open.add(key);
    if(!this.begun&&keep.length===0)for(const key of data.first)await this.load(key);
    this.render();
    if(!this.begun)this.begin();
    this.begun=true;
    if(this.options.ready)this.options.ready();
    if(!this.host.dataset.ready)this.host.dataset.ready=Math.round(performance.now()); // for tests
  }
  begin(){
    this.fit(false);
    const linked=new URLSearchParams(location.hash.slice(1)).get('node');
    if(linked&&!GraphDrawing.linked)this.show(linked);
    GraphDrawing.linked=true; // a link is followed once, and not by every later drawing
    addEventListener('hashchange',()=>{
      if(!this.host.isConnected)return;
      const name=new URLSearchParams(location.hash.slice(1)).get('node');
      if(name&&name!==this.chosen)this.show(name);
    });
  }
  async load(key){
    if(this.levels.has(key))return true;
    const level=await this.source.level(key);
    if(level)this.levels.set(key,level);
    return !!level;
  }
  isOpen(item){return item.k===SCOPE&&this.open.has(item.key)&&this.levels.has(item.key)}

  async toggle(key,scope){
    if(this.open.has(key)){
      for(const other of [...this.open])if(other===key||this.isWithin(other,key))this.open.delete(other);
    }else{
      if(!await this.load(key)){
        this.matches.textContent=scope+' is too large for this file: open it with view';
        return;
      }
      this.open.add(key);
    }
    const before=this.places.get(key);
    this.render();
    const after=this.places.get(key);
    if(before&&after){ // The part stays where the pointer is.
      this.view.x+=(before.x-after.x)*this.view.s;
      this.view.y+=(before.y-after.y)*this.view.s;
      this.moved();
      this.bring(after);
    }
  }
  isWithin(key,outer){
    for(let at=key;at;at=this.levels.has(at)?this.levels.get(at).up:'')if(at===outer)return true;
    return false;
  }
  fold(){
    this.open.clear();
    this.render();
    this.fit(true);
  }

  // ---- geometry
  measure(key){
    const level=this.levels.get(key),w=level.items.map(i=>i.w),h=level.items.map(i=>i.h);
    level.items.forEach((item,i)=>{
      if(!this.isOpen(item))return;
      const inner=this.measure(item.key);
      w[i]=Math.max(w[i],inner.width+2*PAD);
      h[i]=Math.max(h[i],inner.height+2*PAD);
    });
    const measured={level,w,h,...stretch(level,w,h)};
    this.measured.set(key,measured);
    return measured;
  }
  left(m,i){
    const item=m.level.items[i],begin=m.X(item.x),end=m.X(item.x+item.w);
    return begin+(end-begin-m.w[i])/2;
  }
  top(m,i){
    const [begin,end]=m.layers[m.level.items[i].layer];
    return begin+(end-begin-m.h[i])/2;
  }
  // The x at which an edge touches an item: the port of an open part.
  touch(m,i,dx,kind,other){
    const item=m.level.items[i];
    if(this.isOpen(item)){
      const inner=this.measured.get(item.key),key=m.level.items[other].key;
      const k=inner.level.items.findIndex(port=>port.k===kind&&port.key===key);
      if(k>=0)return this.left(m,i)+PAD+this.left(inner,k)+1;
    }
    return this.left(m,i)+dx;
  }
  place(m,x,y,out){
    const machines=new Map();
    m.level.lanes.forEach(({area,begin,end,task})=>{
      if(area===undefined)return;
      const from=x+m.X(begin),to=x+m.X(end);
      out.areas.push({x:from,y:y-4,w:to-from,h:m.height+8,area});
      if(!task)return;
      const machine=machines.get(task)||{x:from-MACHINE_SIDE,y:y-MACHINE_HEAD,h:m.height+MACHINE_HEAD+14,task,area:'machine'};
      machine.w=to+MACHINE_SIDE-machine.x;
      machines.set(task,machine);
    });
    out.areas.unshift(...machines.values());
    m.level.items.forEach((item,i)=>{
      if(item.k===IN||item.k===OUT)return;
      const open=this.isOpen(item);
      const box={item,x:x+this.left(m,i),y:y+this.top(m,i),w:m.w[i],h:m.h[i],open,level:m.level.key};
      out.boxes.push(box);
      if(open)this.place(this.measured.get(item.key),box.x+PAD,box.y+PAD,out);
    });
    for(const edge of m.level.edges)out.lines.push(this.route(m,edge,x,y));
  }
  route(m,edge,x,y){
    const items=m.level.items,from=items[edge.f],to=items[edge.t];
    const begin=m.layers[from.layer],end=m.layers[to.layer],enters=from.k===IN,leaves=to.k===OUT;
    const x1=x+this.touch(m,edge.f,enters?1:edge.a,OUT,edge.t),x2=x+this.touch(m,edge.t,leaves?1:edge.b,IN,edge.f);
    const y1=y+(enters?-PAD:this.top(m,edge.f)+m.h[edge.f]),y2=y+(leaves?m.height+PAD:this.top(m,edge.t));
    const arrow=!leaves&&!this.isOpen(to),bottom=arrow?y2-ARROW+1:y2;
    let path='M'+x1+' '+y1,at=[x1,y1];
    const line=(px,py)=>{path+='L'+px+' '+py;at=[px,py]};
    const bend=(px,py)=>{
      const middle=(at[1]+py)/2;
      path+='C'+at[0]+' '+middle+' '+px+' '+middle+' '+px+' '+py;
      at=[px,py];
    };
    if(edge.up){
      const channel=x+m.X(edge.ch);
      line(x1,y+begin[1]+edge.by);
      line(channel,y+begin[1]+edge.by);
      line(channel,y+end[0]-edge.by);
      line(x2,y+end[0]-edge.by);
    }else{
      line(x1,y+begin[1]);
      for(const [layer,via] of edge.via||[]){
        bend(x+m.X(via),y+m.layers[layer][0]);
        line(x+m.X(via),y+m.layers[layer][1]);
      }
      bend(x2,Math.min(y+end[0],bottom));
    }
    line(x2,bottom);
    // A transfer has three legs: to the Send, to the Recv, and to the consumer.
    const leg=to.k===SEND?0:from.k===SEND?1:from.k===RECV?2:-1,recv=leg===1?to:from;
    const key=leg===0?to.key:recv.key||'';
    return {edge,path,arrow,x:x2,y:y2,x1,y1,below:y+begin[1],from:from.name,to:to.name,ends:[from,to],leg,to_device:key.slice(key.lastIndexOf(' ')+1)};
  }

  // ---- drawing
  render(){
    this.measured=new Map();
    const whole=this.measure(''),out={areas:[],boxes:[],lines:[]};
    const tasks=whole.level.lanes.some(lane=>lane.task),side=tasks?MACHINE_SIDE:0;
    this.place(whole,side,tasks?MACHINE_HEAD:0,out);
    this.size={w:whole.width+2*side,h:whole.height+(tasks?MACHINE_HEAD+MACHINE_SIDE:0)};
    // The part of the drawing that is not set aside or pruned.
    const core=out.areas.filter(a=>a.area!=='aside');
    this.core=core.length?Math.max(...core.map(a=>a.x+a.w)):this.size.w;
    this.places=new Map(out.boxes.filter(b=>b.item.k===SCOPE).map(b=>[b.item.key,b]));
    this.names=new Map(out.boxes.filter(b=>b.item.name!==undefined).map(b=>[b.item.name,b]));
    this.pills=new Map(out.boxes.filter(b=>b.item.k===SEND||b.item.k===RECV).map(b=>[b.item,b]));
    this.lines=out.lines;
    const root=element('g',{});
    for(const {x,y,w,h,area,task} of out.areas){
      const dead=task&&(this.options.dead||[]).includes(task);
      element('rect',{x,y,width:w,height:h,rx:8,class:'area '+area+(dead?' dead':'')},root);
      if(task)
        element('text',{x:x+10,y:y+17,class:'machine-name'+(dead?' dead':'')},root,task.replace('/job:','').replace('/task:',':')+
          (dead?' ✕ does not answer':''));
    }
    for(const box of out.boxes)if(box.open)this.box(box,root);
    for(const line of out.lines)this.line(line,root);
    for(const box of out.boxes)if(!box.open)this.box(box,root);
    this.values=element('g',{},root);
    this.root.replaceWith(root);
    this.root=root;
    this.drawMap(out);
    if(this.view)this.moved();
    this.applyMarks();
    if(this.options.rendered)this.options.rendered(this);
  }
  box(box,root){
    const {item,x,y,w,h,open}=box;
    if(item.k===TITLE){
      const g=element('g',{class:'title'+(item.closes?' closes':'')},root);
      element('text',{x:x+4,y:y+14},g,item.l);
      if(item.closes)g.onclick=()=>this.clicked(()=>this.toggle(box.level,item.l));
      return;
    }
    const g=element('g',{class:'box '+item.c+(open?' open':'')},root),pill=item.k===SEND||item.k===RECV;
    box.g=g;
    if(item.name!==undefined)g.dataset.name=item.name;
    if(item.scope!==undefined)g.dataset.scope=item.scope;
    element('title',{},g,item.t);
    if(item.k===SCOPE&&!open)element('rect',{x:x+3,y:y+3,width:w,height:h,rx:CORNER},g);
    element('rect',{x,y,width:w,height:h,rx:item.r?h/2:CORNER},g);
    if(item.k===SCOPE&&!open)element('rect',{x,y,width:w,height:h,rx:CORNER,class:'shade'},g);
    if(open)return;
    if(pill){
      element('path',{class:'through','stroke-width':1.8,d:'M'+(x+w/2)+' '+(y-ARROW)+'v'+(h+ARROW)},g);
      element('text',{x:x+8,y:y+14},g,item.l);
    }else{
      element('text',{x:x+9,y:y+16},g,item.l);
      element('text',{x:x+9,y:y+30,class:'note'},g,item.n);
    }
    if(item.like)element('text',{x:x+w-15,y:y+16,class:'like'},g,item.like);
    if(item.name===undefined&&item.k!==SCOPE)return;
    g.setAttribute('tabindex',0);
    g.setAttribute('role','button');
    const act=()=>item.k===SCOPE?this.toggle(item.key,item.scope):this.select(item.name);
    g.onclick=()=>this.clicked(act);
    g.onkeydown=e=>{if(e.key==='Enter'||e.key===' '){e.preventDefault();act()}};
  }
  line(line,root){
    const {edge,path,arrow,x,y}=line,half=2.5+edge.w/2;
    const g=element('g',{class:'wire'+(line.leg>=0?' leg'+line.leg:'')},root);
    line.g=g;
    if(edge.v&&this.options.edge){
      g.append(element('path',{class:'hit',d:path}));
      g.onclick=()=>this.clicked(()=>this.options.edge(edge.v));
    }
    const p=element('path',{class:'line'+edge.c,'stroke-width':edge.w,d:path},g);
    if(edge.tip)element('title',{},p,edge.tip);
    if(arrow)
      element('path',{class:'arrow'+(edge.c===' cut'?' cut':''),d:'M'+x+' '+y+'l'+-half+' '+-ARROW+'h'+2*half+'z'},g);
  }
  drawMap({areas,boxes}){
    this.map.textContent='';
    this.map.setAttribute('viewBox','0 0 '+Math.max(1,this.size.w)+' '+Math.max(1,this.size.h));
    for(const {x,y,w,h,area} of areas)element('rect',{x,y,width:w,height:h,class:'area '+area},this.map);
    for(const {item,x,y,w,h,open} of boxes)
      if(item.k<SEND)element('rect',{x,y,width:w,height:h,class:'spot '+item.c+(open?' open':'')},this.map);
    this.frame=element('rect',{class:'frame'},this.map);
  }

  // ---- the view
  get room(){
    return {w:this.host.clientWidth,h:this.host.clientHeight};
  }
  moved(){
    const {x,y,s}=this.view,{w,h}=this.room;
    this.root.setAttribute('transform','translate('+x+' '+y+') scale('+s+')');
    const seen={x:-x/s,y:-y/s,w:w/s,h:h/s};
    for(const name of ['x','y'])this.frame.setAttribute(name,seen[name]);
    this.frame.setAttribute('width',seen.w);
    this.frame.setAttribute('height',seen.h);
    const all=seen.x<=1&&seen.y<=1&&seen.x+seen.w>=this.size.w-1&&seen.y+seen.h>=this.size.h-1;
    this.map.classList.toggle('unneeded',all);
  }
  fit(whole){
    const {w,h}=this.room,bar=this.bar.offsetHeight;
    const down=(h-bar-2*MARGIN)/this.size.h;
    const large=LARGE*this.large,readable=READABLE*this.large;
    let across=(w-2*MARGIN)/this.size.w,s=Math.min(across,down,large);
    if(!whole&&s<readable){ // Nodes that are set aside or pruned need not be visible.
      across=(w-2*MARGIN)/this.core;
      s=Math.min(across,down,large);
    }
    const top=!whole&&s<readable; // Too small to read: begin at the top.
    if(top)s=Math.min(large,Math.max(readable,Math.min(across,1)));
    s=Math.max(LEAST_SCALE,s);
    const x=(w-this.size.w*s)/2,y=bar+(h-bar-this.size.h*s)/2;
    this.view={s,x:whole?x:Math.max(x,MARGIN),y:top?bar+MARGIN:y};
    this.fitted=true;
    this.moved();
  }
  resized(){
    if(!this.view)return;
    if(this.fitted)this.fit(false);else this.moved();
  }
  zoom(by,px=this.room.w/2,py=this.room.h/2){
    const s=Math.max(LEAST_SCALE,Math.min(MOST_SCALE,this.view.s*by));
    this.view.x=px-(px-this.view.x)*s/this.view.s;
    this.view.y=py-(py-this.view.y)*s/this.view.s;
    this.view.s=s;
    this.fitted=false;
    this.moved();
  }
  pan(dx,dy){
    this.view.x+=dx;
    this.view.y+=dy;
    this.fitted=false;
    this.moved();
  }
  // Moves as little as makes the box visible.
  bring({x,y,w,h},centre=false){
    const v=this.view,room=this.room,gap=60;
    const left=v.x+x*v.s,top=v.y+y*v.s,right=left+w*v.s,bottom=top+h*v.s,map=this.map.getBoundingClientRect();
    let dx=0,dy=0;
    if(right>room.w-gap)dx=room.w-gap-right;
    if(left+dx<gap)dx=gap-left;
    const below=map.width&&right+dx>room.w-map.width-gap/2?map.height+gap/2:gap; // not under the small map
    if(bottom>room.h-below)dy=room.h-below-bottom;
    if(top+dy<gap)dy=gap-top;
    if(centre&&(dx||dy)){dx=room.w/2-(left+right)/2;dy=room.h/2-(top+bottom)/2}
    if(dx||dy)this.pan(dx,dy);
  }

  // ---- input
  listen(){
    const svg=this.svg,pointers=new Map();
    let travelled=0,gap=0;
    this.clicked=act=>{if(travelled<5)act()};
    svg.onpointerdown=e=>{
      if(pointers.size===0)travelled=0;
      pointers.set(e.pointerId,{x:e.clientX,y:e.clientY});
      gap=0;
    };
    svg.onpointermove=e=>{
      const at=pointers.get(e.pointerId);
      if(!at)return;
      const dx=e.clientX-at.x,dy=e.clientY-at.y;
      travelled+=Math.abs(dx)+Math.abs(dy);
      at.x=e.clientX;
      at.y=e.clientY;
      if(travelled>=5)svg.setPointerCapture(e.pointerId);
      if(pointers.size===1)return this.pan(dx,dy);
      const [a,b]=[...pointers.values()],apart=Math.hypot(a.x-b.x,a.y-b.y),box=svg.getBoundingClientRect();
      if(gap)this.zoom(apart/gap,(a.x+b.x)/2-box.left,(a.y+b.y)/2-box.top);
      gap=apart;
    };
    svg.onpointerup=svg.onpointercancel=e=>{pointers.delete(e.pointerId);gap=0};
    // Without Ctrl the page scrolls, unless the drawing was clicked before.
    svg.addEventListener('wheel',e=>{
      if(!e.ctrlKey&&!this.host.contains(document.activeElement)&&!this.options.whole)return;
      e.preventDefault();
      if(e.shiftKey)return this.pan(-e.deltaY-e.deltaX,0);
      const box=svg.getBoundingClientRect(),lines=e.deltaMode===1?30:1;
      this.zoom(Math.exp(-e.deltaY*lines*(e.ctrlKey?.01:.0015)),e.clientX-box.left,e.clientY-box.top);
    },{passive:false});
    const jump=e=>{
      const box=this.map.getBoundingClientRect(),s=Math.max(this.size.w/box.width,this.size.h/box.height);
      const x=this.size.w/2+(e.clientX-box.left-box.width/2)*s,y=this.size.h/2+(e.clientY-box.top-box.height/2)*s;
      this.view.x=this.room.w/2-x*this.view.s;
      this.view.y=this.room.h/2-y*this.view.s;
      this.pan(0,0);
    };
    this.map.onpointerdown=e=>{this.map.setPointerCapture(e.pointerId);jump(e)};
    this.map.onpointermove=e=>{if(e.buttons)jump(e)};
    this.host.addEventListener('keydown',e=>this.key(e));
  }
  key(e){
    if(e.ctrlKey||e.metaKey||e.altKey)return;
    const step=60,arrows={ArrowLeft:[step,0],ArrowRight:[-step,0],ArrowUp:[0,step],ArrowDown:[0,-step]};
    const keys={'+':()=>this.zoom(1.3),'=':()=>this.zoom(1.3),'-':()=>this.zoom(1/1.3),f:()=>this.fit(true),
      '0':()=>this.fit(true),c:()=>this.fold(),d:()=>this.theme(),n:()=>this.next(1),N:()=>this.next(-1),
      '/':()=>this.search.focus(),Escape:()=>this.select('')};
    if(arrows[e.key]&&(!this.options.film||e.shiftKey)){
      this.pan(...arrows[e.key]);
    }else if(keys[e.key])keys[e.key]();
    else return;
    e.preventDefault();
    e.stopPropagation();
  }
  theme(){
    const root=document.documentElement,dark=root.dataset.theme==='dark'||
      (root.dataset.theme!=='light'&&matchMedia('(prefers-color-scheme:dark)').matches);
    root.dataset.theme=dark?'light':'dark';
    try{localStorage.setItem('tensh-theme',root.dataset.theme)}catch(e){/* a page of a file may have no storage */}
  }

  // ---- nodes
  select(name){
    this.chosen=name;
    const link=name?'#node='+encodeURIComponent(name):'';
    try{history.replaceState(null,'',location.pathname+location.search+link)}catch(e){/* a page in a frame */}
    this.applyMarks();
    if(this.options.select)this.options.select(name);
  }
  // Opens the parts around a node, or a scope. Returns their keys.
  async reveal(name){
    const keys=await this.source.path(name);
    for(const key of keys)if(await this.load(key))this.open.add(key);
    this.render();
    return keys;
  }
  // Opens the parts around a node, or a scope, and moves to it.
  async show(name){
    const keys=await this.reveal(name);
    const box=this.names.get(name)||this.places.get(keys[keys.length-1]);
    if(!box)return false;
    if(this.view.s<READABLE)this.zoom(READABLE/this.view.s);
    this.bring(box,true);
    if(this.names.has(name))this.select(name);
    return true;
  }
  async next(by){
    const text=this.search.value.trim();
    if(!text)return;
    if(this.found.text!==text)this.found={text,at:by>0?-1:0,...await this.source.find(text)};
    const {names,count}=this.found;
    if(!names.length){
      this.matches.textContent='no node has this name';
      return;
    }
    this.found.at=(this.found.at+by+names.length)%names.length;
    this.matches.textContent=this.found.at+1+' of '+count.toLocaleString('en');
    await this.show(names[this.found.at]);
  }

  // ---- a film: the states of nodes, the node that runs now, and the values on edges: those in flight, or `all`
  setMarks(marks){
    this.marks=marks;
    this.applyMarks();
  }
  applyMarks(){
    if(!this.names)return;
    const {states,now,flight,sent,moves,all}=this.marks;
    const pill=moves&&this.lines.find(line=>line.leg===1&&line.to_device===moves.device&&line.edge.v&&line.edge.v.includes(moves.tensor));
    let nowBox=pill?this.pills.get(pill.ends[moves.end]):now?this.names.get(now):null;
    if(now&&!nowBox)
      for(const key of this.source.around(now))if(this.places.has(key))nowBox=this.places.get(key);
    if(now&&!nowBox) // In a level that is not loaded: the innermost scope around it.
      for(const box of this.places.values())
        if(/ d\d/.test(box.item.c)&&now.startsWith(box.item.scope+'/')&&(!nowBox||box.item.scope.length>nowBox.item.scope.length))nowBox=box;
    for(const [name,box] of this.names){
      box.g.classList.toggle('on',name===this.chosen);
      box.g.classList.toggle('failed',name===this.options.failed);
      if(states)for(const state of ['done','ready','waiting','nottaken'])box.g.classList.toggle(state,states.get(name)===state);
    }
    if(states){
      const all=[...this.names.values(),...this.places.values(),...this.pills.values()];
      for(const box of all)if(box.g)box.g.classList.toggle('now',box===nowBox);
    }
    for(const line of this.lines)
      line.g.classList.toggle('on',!!this.chosen&&(line.from===this.chosen||line.to===this.chosen));
    if(!flight)return;
    const labels=[],shown=new Set();
    for(const line of this.lines){
      const tensors=line.edge.v||[];
      // Of a value that is sent, only one leg carries it.
      const stage=tensor=>sent?sent.get(tensor+' '+line.to_device):undefined;
      const carries=tensors.filter(tensor=>flight.has(tensor)&&(line.leg<0||+stage(tensor)===line.leg));
      line.g.classList.toggle('flight',carries.length>0);
      if(all&&line.leg!==0&&line.leg!==1)
        for(const tensor of tensors)
          if(all[tensor]!==undefined&&!shown.has(tensor+line.leg)){
            shown.add(tensor+line.leg);
            labels.push({x:line.x1+5,y:line.below+13,text:all[tensor]});
          }
      line.g.classList.toggle('held',line.leg===1&&tensors.some(tensor=>stage(tensor)==='1'));
      for(const tensor of carries){
        const key=tensor+(line.leg<0?'':' '+line.to_device),text=flight.get(tensor);
        if(!text||shown.has(key))continue;
        shown.add(key);
        labels.push({x:line.x1+5,y:line.below+13,text});
      }
    }
    this.writeValues(labels);
    if(nowBox&&this.options.film&&this.view&&!this.marks.still)this.bring(nowBox);
  }
  // Writes each value beside its edge, as much of it as fits before the next one.
  writeValues(labels){
    this.values.textContent='';
    labels.sort((a,b)=>a.y-b.y||a.x-b.x);
    labels.forEach(({x,y,text},i)=>{
      const next=labels[i+1],room=Math.min(24,next&&next.y===y?Math.floor((next.x-x)/LETTER)-1:24);
      if(room>=3)element('text',{x,y,class:'value'},this.values,text.length>room?text.slice(0,room-1)+'…':text);
    });
  }
}
