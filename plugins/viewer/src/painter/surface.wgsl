// Lambert's law and the highlights of Blinn and Phong in linear light, as the ray caster has them. The world is the
// eye's optical frame: the eye at the origin, looking along -Z.
#import bevy_pbr::forward_io::VertexOutput

struct Surface {
    diffuse: vec4<f32>, // w: opacity
    emissive: vec4<f32>, // w: fraction of the ambient light
    specular: vec4<f32>, // w: exponent
    // Rows of the transform of texture coordinates; w of the first: whether there is a picture.
    texture_s: vec4<f32>,
    texture_t: vec4<f32>,
}

struct Light {
    color: vec4<f32>, // w: 0 directional, 1 from a point, 2 a spot
    position: vec4<f32>, // w: exponent of a spot
    direction: vec4<f32>, // where it shines; w: beam width
    attenuation: vec4<f32>, // constant, linear, quadratic; w: cut-off angle
}

struct Lighting {
    ambient: vec4<f32>, // w: number of lights
    head: vec4<f32>,
    axis: vec4<f32>, // towards the eye's back; w: 1 if distances are along the ray
    reach: vec4<f32>, // nearest and furthest that is seen
    lights: array<Light>,
}

@group(#{MATERIAL_BIND_GROUP}) @binding(0) var<uniform> surface: Surface;
@group(#{MATERIAL_BIND_GROUP}) @binding(1) var picture: texture_2d<f32>;
@group(#{MATERIAL_BIND_GROUP}) @binding(2) var picture_sampler: sampler;
@group(#{MATERIAL_BIND_GROUP}) @binding(3) var<storage, read> lighting: Lighting;

fn light_of(towards: vec3<f32>, light: vec3<f32>, diffuse: vec3<f32>, normal: vec3<f32>, view: vec3<f32>) -> vec3<f32> {
    let facing = dot(normal, towards);
    if facing <= 0.0 {
        return vec3(0.0);
    }
    let between = towards - view;
    let size = length(between);
    let half_way = select(normal, between / size, size > 0.0);
    let mirrored = max(dot(normal, half_way), 0.0);
    let highlight = select(0.0, pow(max(mirrored, 1e-20), surface.specular.w), mirrored > 0.0 || surface.specular.w == 0.0);
    return light * (diffuse * facing + surface.specular.rgb * highlight);
}

@fragment
fn fragment(in: VertexOutput, @builtin(front_facing) is_front: bool) -> @location(0) vec4<f32> {
    let point = in.world_position.xyz;
    let distance = length(point);
    let measured = select(-point.z, distance, lighting.axis.w > 0.5);
    if measured < lighting.reach.x || measured > lighting.reach.y {
        discard;
    }
    let view = point / distance;
    var normal = normalize(in.world_normal);
    if !is_front {
        normal = -normal;
    }
    var diffuse = surface.diffuse.rgb;
    var opacity = surface.diffuse.w;
#ifdef VERTEX_COLORS
    diffuse *= in.color.rgb;
#endif
    if surface.texture_s.w > 0.5 {
        let place = vec3(in.uv, 1.0);
        let s = dot(surface.texture_s.xyz, place);
        let t = dot(surface.texture_t.xyz, place);
        let color = textureSampleLevel(picture, picture_sampler, vec2(s, 1.0 - t), 0.0);
        diffuse *= color.rgb;
        opacity *= color.a;
    }
    var color = surface.emissive.rgb + diffuse * lighting.ambient.rgb * surface.emissive.w;
    color += light_of(lighting.axis.xyz, lighting.head.rgb, diffuse, normal, view);
    for (var index = 0u; index < u32(lighting.ambient.w); index++) {
        let light = lighting.lights[index];
        var towards = -light.direction.xyz;
        var share = 1.0;
        if light.color.w > 0.5 {
            let to_light = light.position.xyz - point;
            let far = length(to_light);
            if far <= 0.0 {
                continue;
            }
            towards = to_light / far;
            let fading = light.attenuation.x + far * (light.attenuation.y + far * light.attenuation.z);
            share = 1.0 / max(fading, 1.0);
        }
        if light.color.w > 1.5 {
            let angle = acos(clamp(-dot(towards, light.direction.xyz), -1.0, 1.0));
            let beam = light.direction.w;
            let cut_off = light.attenuation.w;
            if angle >= cut_off {
                continue;
            }
            if angle > beam {
                share *= pow((cut_off - angle) / (cut_off - beam), light.position.w);
            }
        }
        color += light_of(towards, light.color.rgb * share, diffuse, normal, view);
    }
    return vec4(color, opacity);
}
